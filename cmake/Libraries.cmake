# Third-party libraries as imported targets. What plumbline-engine needs besides LibTorch is static or
# header-only, so that a built engine runs on another Linux (build notes in docs/adr/0002).
find_package(Threads REQUIRED)
find_path(NLOHMANN_INCLUDE nlohmann/json.hpp REQUIRED)
find_path(TOML_INCLUDE toml++/toml.h REQUIRED)
find_path(CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
find_path(FMT_INCLUDE fmt/format.h REQUIRED)

add_library(third_party_headers INTERFACE)
target_include_directories(third_party_headers SYSTEM INTERFACE ${NLOHMANN_INCLUDE} ${TOML_INCLUDE} ${CLI11_INCLUDE}
                                                               ${FMT_INCLUDE})
target_compile_definitions(third_party_headers INTERFACE FMT_HEADER_ONLY SPDLOG_HEADER_ONLY SPDLOG_FMT_EXTERNAL
                                                         TOML_HEADER_ONLY=1)

# plumbline_static_library(TARGET ARCHIVE HEADER): an imported static library from a Debian -dev package.
function(plumbline_static_library target archive header)
  find_library(${target}_ARCHIVE NAMES ${archive} REQUIRED)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${target}_ARCHIVE}
                                             INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${${target}_INCLUDE})
endfunction()

plumbline_static_library(pcre2 libpcre2-8.a pcre2.h)
set_property(TARGET pcre2 PROPERTY INTERFACE_COMPILE_DEFINITIONS "PCRE2_CODE_UNIT_WIDTH=8;PCRE2_STATIC")
plumbline_static_library(utf8proc libutf8proc.a utf8proc.h)
set_property(TARGET utf8proc PROPERTY INTERFACE_COMPILE_DEFINITIONS UTF8PROC_STATIC)
plumbline_static_library(seccomp libseccomp.a seccomp.h)
plumbline_static_library(zlib libz.a zlib.h)
plumbline_static_library(zstd libzstd.a zstd.h)
plumbline_static_library(crypto libcrypto.a openssl/sha.h)
set_property(TARGET crypto PROPERTY INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS};Threads::Threads")

# HTTP for `plumbline` alone: Debian has cpp-httplib as a shared library only (its macros are those it was built with).
# It brings libcrypto.so; the libcrypto.a that hashing uses must then not be exported, or the two would mix.
find_library(HTTPLIB_LIBRARY cpp-httplib REQUIRED)
find_path(HTTPLIB_INCLUDE httplib.h REQUIRED)
find_library(SSL_LIBRARY libssl.so REQUIRED)
add_library(httplib INTERFACE)
target_include_directories(httplib SYSTEM INTERFACE ${HTTPLIB_INCLUDE})
target_compile_definitions(httplib INTERFACE CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_ZLIB_SUPPORT
                                             CPPHTTPLIB_BROTLI_SUPPORT)
target_link_libraries(httplib INTERFACE ${HTTPLIB_LIBRARY} ${SSL_LIBRARY})
target_link_options(httplib INTERFACE -Wl,--exclude-libs,libcrypto.a)

if(PLUMBLINE_ENGINE)
  include(LibTorch)
endif()
