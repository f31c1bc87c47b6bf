# LibTorch out of the torch wheel. The wheel's own package config demands a CUDA toolkit even for a CPU build,
# hence these imported targets. tools/setup.sh unpacks the wheel into the user's cache folder.
if(DEFINED ENV{PLUMBLINE_CACHE})
  set(plumbline_cache $ENV{PLUMBLINE_CACHE})
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(plumbline_cache $ENV{XDG_CACHE_HOME}/plumbline)
else()
  set(plumbline_cache $ENV{HOME}/.cache/plumbline)
endif()
set(LIBTORCH_ROOT ${plumbline_cache}/libtorch-2.11.0 CACHE PATH "Folder that holds torch/include and torch/lib")
if(NOT EXISTS ${LIBTORCH_ROOT}/torch/lib/libtorch_cpu.so)
  message(FATAL_ERROR "LibTorch is not in ${LIBTORCH_ROOT}; run tools/setup.sh, or set -DLIBTORCH_ROOT=")
endif()
set(torch_lib ${LIBTORCH_ROOT}/torch/lib)
set(torch_include ${LIBTORCH_ROOT}/torch/include)

foreach(name c10 torch_cpu)
  add_library(${name} SHARED IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${torch_lib}/lib${name}.so)
endforeach()

add_library(libtorch INTERFACE)
target_include_directories(libtorch SYSTEM INTERFACE ${torch_include} ${torch_include}/torch/csrc/api/include)
target_compile_definitions(libtorch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
target_link_libraries(libtorch INTERFACE torch_cpu c10 Threads::Threads)
# libtorch_cpu.so finds libcudart and libcupti through its own RUNPATH; the linker needs to be told.
target_link_options(libtorch INTERFACE -Wl,-rpath-link,${LIBTORCH_ROOT}/nvidia/cu13/lib -Wl,-rpath,${torch_lib}
                                       -Wl,-rpath-link,${torch_lib} -Wl,--disable-new-dtags)

set(PLUMBLINE_WITH_CUDA OFF)
if(NOT PLUMBLINE_CUDA STREQUAL "OFF")
  find_program(NVCC nvcc HINTS /usr/local/cuda/bin)
  if(PLUMBLINE_CUDA STREQUAL "ON" AND NOT NVCC)
    message(FATAL_ERROR "PLUMBLINE_CUDA=ON needs nvcc on PATH or in /usr/local/cuda/bin")
  endif()
  if(NVCC AND (PLUMBLINE_CUDA STREQUAL "ON" OR EXISTS /dev/nvidia0))
    set(PLUMBLINE_WITH_CUDA ON)
  endif()
endif()

if(PLUMBLINE_WITH_CUDA)
  if(NOT EXISTS ${torch_lib}/libtorch_cuda.so)
    message(FATAL_ERROR "libtorch_cuda.so is not in ${torch_lib}; run tools/setup.sh where nvcc is on PATH")
  endif()
  set(CMAKE_CUDA_COMPILER ${NVCC})
  set(CMAKE_CUDA_ARCHITECTURES 80 90 CACHE STRING "GPU architectures")
  # CMake 3.25 knows no C++20 flag for nvcc; kernels and their few headers are C++17.
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  foreach(name torch_cuda c10_cuda)
    add_library(${name} SHARED IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${torch_lib}/lib${name}.so)
  endforeach()
  target_compile_definitions(libtorch INTERFACE PLUMBLINE_WITH_CUDA=1)
  # libtorch_cuda registers its kernels when it is loaded and no symbol of ours names it; what it needs in turn
  # (cuSPARSELt, NVSHMEM, cuFile) comes with the wheel's own packages on the machine that runs it.
  target_link_options(libtorch INTERFACE -Wl,--allow-shlib-undefined -Wl,--no-as-needed ${torch_lib}/libtorch_cuda.so
                                         -Wl,--as-needed)
  target_link_libraries(libtorch INTERFACE c10_cuda CUDA::cudart)
endif()
message(STATUS "plumbline: LibTorch ${LIBTORCH_ROOT}, CUDA ${PLUMBLINE_WITH_CUDA}")
