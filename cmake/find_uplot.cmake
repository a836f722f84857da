# Sets UPLOT to the folder of the npm package that draws the charts of `velella report`, fetched by npm into the build folder
# as report/package-lock.json has it; empty, with a word to the reader, where that cannot be done: all else is built, and the
# command says what is missing. Tried again each time CMake configures.
set(folder ${CMAKE_BINARY_DIR}/npm)
set(UPLOT ${folder}/node_modules/uplot)
foreach(file package.json package-lock.json .npmrc)
  configure_file(${CMAKE_SOURCE_DIR}/report/${file} ${folder}/${file} COPYONLY)
endforeach()
file(SHA256 ${folder}/package-lock.json wanted)
set(found "")
if(EXISTS ${folder}/fetched)
  file(READ ${folder}/fetched found)
endif()
if(NOT found STREQUAL wanted OR NOT EXISTS ${UPLOT}/dist/uPlot.iife.min.js)
  find_program(NPM npm)
  set(why "npm is not there")
  set(failed 1)
  if(NPM)
    execute_process(COMMAND ${NPM} ci --ignore-scripts --no-progress --prefer-offline --fetch-retries=1 --fetch-retry-mintimeout=1000
                    --fetch-timeout=30000 WORKING_DIRECTORY ${folder}
                    RESULT_VARIABLE failed OUTPUT_VARIABLE why ERROR_VARIABLE why TIMEOUT 120)
  endif()
  if(failed)
    message(WARNING "no uPlot, so `velella report` will not work: ${why}")
    set(UPLOT "")
  else()
    file(WRITE ${folder}/fetched ${wanted})
  endif()
endif()
