package org.nyala.loadtest;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The searches of a server's access log, in their order and at their times.
 *
 * <p>Lines are those of slapd: {@code conn=1 op=2 SRCH base="…" scope=2 deref=0 filter="…"} behind
 * a time: hexadecimal seconds and nanoseconds ({@code 6563a1b2.0c3d4e5f}), or a time of day as
 * syslog and RFC 3339 write it ({@code 22:52:04}, {@code 22:52:04.123456}), after which midnight is
 * the only gap that is guessed. Other operations are left out: a log does not tell passwords and
 * values.
 *
 * <p>Immutable.
 *
 * @param requests the requests, each a whole message
 * @param nanos when each is to be sent, from the first one; never decreases
 * @param leftOut how many logged operations of other kinds there are
 */
record Replay(List<byte[]> requests, List<Long> nanos, long leftOut) {
  private static final Pattern SEARCH =
      Pattern.compile("\\bop=\\d+ SRCH base=\"(.*?)\" scope=(\\d) deref=\\d filter=\"(.*)\"");
  private static final Pattern OTHER =
      Pattern.compile("\\bop=\\d+ (BIND dn|ADD dn|DEL dn|MOD dn|MODRDN dn|CMP dn|EXT|STARTTLS)");
  private static final Pattern HEXADECIMAL = Pattern.compile("^([0-9a-f]{8})\\.([0-9a-f]{8})\\b");
  private static final Pattern TIME_OF_DAY =
      Pattern.compile("\\b(\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?)");
  private static final long DAY_NANOS = TimeUnit.DAYS.toNanos(1);

  Replay {
    requests = List.copyOf(requests);
    nanos = List.copyOf(nanos);
  }

  /**
   * Reads a log.
   *
   * @param speed how many times as fast as they were logged the requests are to be sent
   * @throws IllegalArgumentException if it has no searches with times
   */
  static Replay read(Path log, double speed) throws IOException {
    LoadSettings.require(speed > 0 && speed <= 1e9, "--speed", speed);
    List<byte[]> requests = new ArrayList<>();
    List<Long> nanos = new ArrayList<>();
    long leftOut = 0;
    long first = 0;
    long last = 0;
    try (BufferedReader lines = Files.newBufferedReader(log)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Matcher search = SEARCH.matcher(line);
        if (!search.find()) {
          leftOut += OTHER.matcher(line).find() ? 1 : 0;
          continue;
        }
        long time = time(line.substring(0, search.start()), log);
        if (requests.isEmpty()) {
          first = time;
          last = time;
        }
        while (time < last - DAY_NANOS / 2) {
          time += DAY_NANOS;
        }
        last = Math.max(last, time);
        nanos.add((long) ((last - first) / speed));
        requests.add(request(search));
      }
    }
    LoadSettings.require(!requests.isEmpty(), "--replay without searches", log);
    return new Replay(requests, nanos, leftOut);
  }

  private static byte[] request(Matcher search) {
    return Pdu.filteredSearch(
        search.group(1), Integer.parseInt(search.group(2)), Filters.encode(search.group(3)));
  }

  private static long time(String head, Path log) {
    Matcher hexadecimal = HEXADECIMAL.matcher(head);
    if (hexadecimal.find()) {
      return TimeUnit.SECONDS.toNanos(Long.parseLong(hexadecimal.group(1), 16))
          + Long.parseLong(hexadecimal.group(2), 16);
    }
    Matcher timeOfDay = TIME_OF_DAY.matcher(head);
    if (timeOfDay.find()) {
      try {
        return LocalTime.parse(timeOfDay.group(1)).toNanoOfDay();
      } catch (DateTimeParseException e) {
        throw new IllegalArgumentException("--replay: no time in " + log + ": " + head, e);
      }
    }
    throw new IllegalArgumentException("--replay: no time in " + log + ": " + head);
  }

  /** The moments of one of several event loops, which take turns. */
  Arrivals arrivals(int loop, int loops) {
    long[] own = new long[(nanos.size() - loop + loops - 1) / loops];
    for (int i = 0; i < own.length; i++) {
      own[i] = nanos.get(loop + i * loops);
    }
    return new Listed(own);
  }

  /** Moments of a list. Immutable. */
  private static final class Listed implements Arrivals {
    private static final long TICK_NANOS = 100_000;

    private final long[] moments;

    Listed(long[] moments) {
      this.moments = moments;
    }

    @Override
    public long count() {
      return moments.length;
    }

    @Override
    public long nanos(long number) {
      return moments[(int) number];
    }

    @Override
    public long shortestGapNanos() {
      return TICK_NANOS;
    }

    @Override
    public long skip(long number, long nanos) {
      return number;
    }
  }
}
