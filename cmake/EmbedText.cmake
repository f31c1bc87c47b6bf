# plumbline_embed_text(TARGET NAME file...): joins text files into `extern const char* const kNAME` (raw strings in
# pieces, since a compiler may limit one literal) and adds it to TARGET. Reconfigures when a file changes.
function(plumbline_embed_text target name)
  set(pieces "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(APPEND pieces "R\"__EMBED__(${text})__EMBED__\"\n")
  endforeach()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${target}/${name}.cc)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
       "namespace plumbline {\nextern const char* const k${name};\nconst char* const k${name} =\n@pieces@;\n}  // namespace plumbline\n")
  target_sources(${target} PRIVATE ${output})
endfunction()
