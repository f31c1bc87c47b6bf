include(EmbedText)

# plumbline_sandbox_parts(TARGET DEFENCES [definition...]): what the sandbox library carries inside, the Python program of
# the warm server (with python/DEFENCES.py as its switches) and its native half, a shared object.
function(plumbline_sandbox_parts target defences)
  set(root ${CMAKE_SOURCE_DIR}/src/plumbline/sandbox)
  set(parts confinement ${defences} inspection candidate mirror preamble bubblewrap server)
  list(TRANSFORM parts REPLACE "(.+)" "${root}/python/\\1.py")
  plumbline_embed_text(${target} PythonServerSource ${parts})

  file(GLOB native CONFIGURE_DEPENDS ${root}/native/*.cc)
  set(module ${target}_native)
  add_library(${module} MODULE ${native})
  target_include_directories(${module} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(${module} PRIVATE ${ARGN})
  # Python loads it into a process of its own: no C++ run-time library, nothing but libc.
  target_compile_options(${module} PRIVATE -Wall -Wextra -fno-exceptions -fno-rtti -fno-threadsafe-statics)
  target_link_options(${module} PRIVATE -nodefaultlibs -nostartfiles LINKER:--strip-debug)
  target_link_libraries(${module} PRIVATE c)
  set_target_properties(${module} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden UNITY_BUILD ON)
  target_compile_definitions(${target} PRIVATE PLUMBLINE_NATIVE_MODULE="$<TARGET_FILE:${module}>")
  add_dependencies(${target} ${module})
  set_property(SOURCE ${root}/native_module.cc TARGET_DIRECTORY ${target} APPEND
               PROPERTY OBJECT_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${module}.so)
endfunction()

# plumbline_verify_test: the sources of the sandbox and the verifiers that know defences (sandbox/defences.h), once more
# and with switches that tests can turn; everything else comes from the ordinary libraries. Nothing that ships links it.
function(plumbline_sandbox_test_library)
  set(root ${CMAKE_SOURCE_DIR}/src/plumbline)
  file(GLOB candidates CONFIGURE_DEPENDS ${root}/sandbox/*.cc ${root}/verify/*.cc)
  set(sources ${root}/sandbox/native_module.cc)
  foreach(source ${candidates})
    file(STRINGS ${source} mentions REGEX "#include \"plumbline/sandbox/defences.h\"")
    if(mentions)
      list(APPEND sources ${source})
    endif()
  endforeach()
  add_library(plumbline_verify_test STATIC EXCLUDE_FROM_ALL ${sources})
  target_compile_definitions(plumbline_verify_test PUBLIC PLUMBLINE_TEST_DEFENCES=1)
  target_link_libraries(plumbline_verify_test PUBLIC plumbline_verify)
  set_target_properties(plumbline_verify_test PROPERTIES UNITY_BUILD ON)
  plumbline_sandbox_parts(plumbline_verify_test defences_test PLUMBLINE_TEST_DEFENCES=1)
endfunction()
