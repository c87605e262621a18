local requests = {}
local last = 0

function init()
  for cookie in io.lines(os.getenv("BENCH_COOKIES")) do
    requests[#requests + 1] = wrk.format("GET", nil, { Cookie = cookie })
  end
end

function request()
  last = last % #requests + 1
  return requests[last]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{ "requests": %d, "seconds": %f, "p50": %f, "p99": %f, "errors": %d }',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
