package org.nyala.management.bean;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.management.jfr.ConfigurationInfo;
import jdk.management.jfr.FlightRecorderMXBean;
import jdk.management.jfr.RecordingInfo;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.env.CommitEvent;
import org.nyala.log.DurationThreshold;
import org.nyala.log.OperationEvent;

/**
 * A flight recording in the server's JVM, requested by a command.
 *
 * <p>Confined to one thread. Ends by itself a while after its time if it is not closed.
 */
public final class FlightRecording implements Recording {
  private static final long NO_STREAM = -1;

  static final String BEAN = "jdk.management.jfr:type=FlightRecorder";

  static final String MONITOR_EVENT = "jdk.JavaMonitorEnter";
  static final String PARK_EVENT = "jdk.ThreadPark";

  /** The prefix of the names of recordings, followed by the command. */
  private static final String NAME = "nyala ";

  /** The JVM's own selection of cheap events. */
  private static final String CHEAP = "default";

  /** The time for the command to stop the recording. */
  private static final int GRACE_SECONDS = 30;

  /** The age after which an abandoned recording is removed. */
  private static final long LEFT_BEHIND_MILLIS = 600_000;

  /**
   * The maximum size on disk, in the server's temporary folder; the oldest data is dropped first.
   */
  private static final long MAXIMUM_BYTES = 256L << 20;

  private static final int BLOCK_BYTES = 1 << 20;

  /**
   * Events that are left out: the environment and other processes are private, and contain
   * passwords.
   */
  private static final List<String> LEFT_OUT =
      List.of("jdk.InitialEnvironmentVariable", "jdk.InitialSystemProperty", "jdk.SystemProcess");

  private final FlightRecorderMXBean recorder;
  private final long id;
  private long stream = NO_STREAM;
  private boolean closed;

  private FlightRecording(FlightRecorderMXBean recorder) {
    this.recorder = recorder;
    this.id = recorder.newRecording();
  }

  /** Records threads that waited to enter a monitor or were parked. */
  public static FlightRecording ofLocks(FlightRecorderMXBean recorder, int seconds)
      throws IOException {
    Map<String, String> settings = new HashMap<>();
    for (String event : List.of(MONITOR_EVENT, PARK_EVENT)) {
      settings.put(event + "#enabled", "true");
      settings.put(event + "#threshold", "0 ns");
      settings.put(event + "#stackTrace", "true");
    }
    settings.put(OperationEvent.NAME + "#enabled", "false");
    return start(recorder, "contention", settings, seconds);
  }

  /**
   * Records the activity of the server, and cheap events of the JVM.
   *
   * @param longerThanMicros omits operations that took no longer
   */
  public static FlightRecording ofServer(
      FlightRecorderMXBean recorder, int seconds, long longerThanMicros) throws IOException {
    Map<String, String> settings = new HashMap<>();
    for (ConfigurationInfo known : recorder.getConfigurations()) {
      if (known.getName().equals(CHEAP)) {
        settings.putAll(known.getSettings());
      }
    }
    LEFT_OUT.forEach(event -> settings.put(event + "#enabled", "false"));
    // Idle workers and event loops are parked all the time.
    settings.put(PARK_EVENT + "#enabled", "false");
    for (String event : List.of(OperationEvent.NAME, CommitEvent.NAME, StrategyEvent.NAME)) {
      settings.put(event + "#enabled", "true");
    }
    settings.put(OperationEvent.NAME + "#" + DurationThreshold.NAME, longerThanMicros + " us");
    return start(recorder, "record", settings, seconds);
  }

  private static FlightRecording start(
      FlightRecorderMXBean recorder, String command, Map<String, String> settings, int seconds)
      throws IOException {
    removeLeftBehind(recorder);
    FlightRecording recording = new FlightRecording(recorder);
    try {
      recorder.setRecordingSettings(recording.id, settings);
      recorder.setRecordingOptions(
          recording.id,
          Map.of(
              "name",
              NAME + command,
              "disk",
              "true",
              "maxSize",
              Long.toString(MAXIMUM_BYTES),
              "duration",
              seconds + GRACE_SECONDS + " s"));
      recorder.startRecording(recording.id);
      return recording;
    } catch (RuntimeException e) {
      recording.close();
      throw e;
    }
  }

  /**
   * Refuses if somebody else records: events of all recordings are in the same files, and those of
   * others may have what is left out here.
   *
   * @throws IllegalStateException if somebody does
   */
  public static void requireAlone(FlightRecorderMXBean recorder) {
    for (RecordingInfo info : recorder.getRecordings()) {
      if (info.getState().equals("RUNNING") && !info.getName().startsWith(NAME)) {
        throw new IllegalStateException(
            "the JVM's own recorder is in use ("
                + info.getName()
                + "): its events would be included");
      }
    }
  }

  /** Removes the recordings of killed commands, which have stopped by themselves. */
  private static void removeLeftBehind(FlightRecorderMXBean recorder) throws IOException {
    long limit = System.currentTimeMillis() - LEFT_BEHIND_MILLIS;
    for (RecordingInfo info : recorder.getRecordings()) {
      if (info.getName().startsWith(NAME)
          && info.getState().equals("STOPPED")
          && info.getStopTime() < limit) {
        recorder.closeRecording(info.getId());
      }
    }
  }

  /** Returns whether a recording of this size is complete and does not lack its beginning. */
  public static boolean isWhole(long bytes) {
    return bytes < MAXIMUM_BYTES * 9 / 10;
  }

  /**
   * Ends the recording if it runs, and returns its next bytes.
   *
   * @return at most a MiB; null at the end
   */
  @Override
  public byte @Nullable [] next() throws IOException {
    if (stream == NO_STREAM) {
      if (isRunning()) {
        recorder.stopRecording(id);
      }
      stream = recorder.openStream(id, Map.of("blockSize", Integer.toString(BLOCK_BYTES)));
    }
    return recorder.readStream(stream);
  }

  /** Returns whether it has not ended by itself. */
  private boolean isRunning() {
    return recorder.getRecordings().stream()
        .anyMatch(info -> info.getId() == id && info.getState().equals("RUNNING"));
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      if (stream != NO_STREAM) {
        recorder.closeStream(stream);
      }
      recorder.closeRecording(id);
    }
  }
}
