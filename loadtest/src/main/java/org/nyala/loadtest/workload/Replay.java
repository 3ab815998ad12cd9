package org.nyala.loadtest.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.nyala.loadtest.ldap.Pdu;

/**
 * The operations of a server's access log that have enough details to be sent again, in their order
 * and at their times. {@link AccessLogReader} defines which these are.
 *
 * <p>Immutable.
 *
 * @param steps the operations
 * @param nanos the time at which each is to be sent, from the first one; never decreases
 * @param leftOut the number of logged operations that could not be sent again, by the log's name
 *     for their kind
 */
public record Replay(List<Step> steps, List<Long> nanos, Map<String, Long> leftOut) {

  /**
   * The information that a log lacks.
   *
   * <p>Immutable.
   *
   * @param account the account whose password is known
   * @param people parent of the people whose passwords follow the rule
   * @param attribute the attribute that modifications replace, regardless of the logged one
   * @param isWriting true if changes are sent at all
   */
  public record Rules(Account account, String people, String attribute, boolean isWriting) {}

  /**
   * One operation. Immutable.
   *
   * @param kind search, bind, compare, modify, or add-delete for a deletion
   * @param message the whole request; not copied
   * @param expected the result code in the log; 0 if it has none
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Step(JobKind kind, byte[] message, int expected) {
    private static final int NO_SUCH_OBJECT = 32;
    private static final int COMPARE_FALSE = 5;
    private static final int COMPARE_TRUE = 6;

    /** The protocol operation of the answer. */
    public int responseTag() {
      return switch (kind) {
        case BIND -> Pdu.BIND_RESPONSE;
        case COMPARE -> Pdu.COMPARE_RESPONSE;
        case MODIFY -> Pdu.MODIFY_RESPONSE;
        case ADD_DELETE -> Pdu.DELETE_RESPONSE;
        default -> Pdu.SEARCH_DONE;
      };
    }

    /**
     * Returns whether the server may answer with this result code: success, or the code in the log.
     * An entry to be deleted may never have been added, since a log lacks the content of additions.
     */
    public boolean isRight(int resultCode) {
      return switch (kind) {
        case COMPARE ->
            resultCode == COMPARE_TRUE || resultCode == COMPARE_FALSE || resultCode == expected;
        case ADD_DELETE ->
            resultCode == 0 || resultCode == NO_SUCH_OBJECT || resultCode == expected;
        default -> resultCode == 0 || resultCode == expected;
      };
    }
  }

  public Replay {
    steps = List.copyOf(steps);
    nanos = List.copyOf(nanos);
    leftOut = Map.copyOf(leftOut);
  }

  /**
   * Reads a log.
   *
   * @param speed the factor by which the requests are sent faster than they were logged
   * @throws IllegalArgumentException if it has no operations with times that can be sent
   */
  public static Replay read(Path log, double speed, Rules rules) throws IOException {
    LoadSettings.require(
        speed > 0 && speed <= 1e9, "--speed", "above 0 and at most 1000000000", speed);
    AccessLogReader reader = new AccessLogReader(log, rules);
    // Bytes that are not UTF-8 do not stop the reader: they may be in a line that does not matter.
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(Files.newInputStream(log), UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        reader.line(line);
      }
    }
    List<Step> steps = new ArrayList<>();
    List<Long> nanos = new ArrayList<>();
    List<LoggedOperation> operations = reader.operations();
    for (LoggedOperation logged : operations) {
      steps.add(logged.step(rules));
      nanos.add((long) ((logged.nanos() - operations.getFirst().nanos()) / speed));
    }
    if (steps.isEmpty()) {
      throw new IllegalArgumentException("--log: no operations to send in " + log);
    }
    return new Replay(steps, nanos, reader.leftOut());
  }

  /** The time at which the last one is to be sent, from the first one. */
  public long lastNanos() {
    return nanos.getLast();
  }

  /** Returns whether there are binds, which need connections of their own. */
  public boolean hasBinds() {
    return steps.stream().anyMatch(step -> step.kind() == JobKind.BIND);
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
    public boolean isDense(long tickNanos) {
      return false;
    }

    @Override
    public long skip(long number, long nanos) {
      return number;
    }
  }
}
