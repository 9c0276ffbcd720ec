Creator "x" # y
graph [ directed 0 node [ id 0 label "A" Latitude 1.5 Longitude -2 ] node [ id 1 g [ x 1 ] ] node [ id 2 ]
edge [ source 0 target 1 LinkSpeedRaw 1e9 ] edge [ source 1 target 2 latency_us 5 ] ]
