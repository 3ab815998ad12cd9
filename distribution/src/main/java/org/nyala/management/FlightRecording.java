package org.nyala.management;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.management.jfr.ConfigurationInfo;
import jdk.management.jfr.FlightRecorderMXBean;
import jdk.management.jfr.RecordingInfo;
import org.nyala.lmdb.env.CommitEvent;
import org.nyala.log.DurationThreshold;
import org.nyala.log.OperationEvent;

/**
 * A flight recording in the server's JVM that a command has asked for.
 *
 * <p>Confined to one thread. Ends by itself a while after its time, should nobody close it.
 */
public final class FlightRecording implements AutoCloseable {
  static final String BEAN = "jdk.management.jfr:type=FlightRecorder";

  static final String MONITOR_EVENT = "jdk.JavaMonitorEnter";
  static final String PARK_EVENT = "jdk.ThreadPark";

  /** What recordings of commands are called, with the command behind. */
  private static final String NAME = "nyala ";

  /** The JVM's own choice of events that costs little. */
  private static final String CHEAP = "default";

  /** For the command to get to stopping it. */
  private static final int GRACE_SECONDS = 30;

  /** What the command has not fetched by then it will never fetch. */
  private static final long LEFT_BEHIND_MILLIS = 600_000;

  /** Disk that it takes at most, in the server's temporary folder; the oldest goes first. */
  private static final long MAXIMUM_BYTES = 256L << 20;

  private static final int BLOCK_BYTES = 1 << 20;

  /** What the environment and other processes say is nobody's business, and has passwords in it. */
  private static final List<String> LEFT_OUT =
      List.of("jdk.InitialEnvironmentVariable", "jdk.InitialSystemProperty", "jdk.SystemProcess");

  private final FlightRecorderMXBean recorder;
  private final long id;
  private boolean closed;

  private FlightRecording(FlightRecorderMXBean recorder) {
    this.recorder = recorder;
    this.id = recorder.newRecording();
  }

  /** Records who had to wait to enter a monitor, and who was parked. */
  static FlightRecording ofLocks(FlightRecorderMXBean recorder, int seconds) throws IOException {
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
   * Records what the server does, and of the JVM what costs little to record.
   *
   * @param longerThanMicros operations that took no longer are left out
   */
  static FlightRecording ofServer(FlightRecorderMXBean recorder, int seconds, long longerThanMicros)
      throws IOException {
    Map<String, String> settings = new HashMap<>();
    for (ConfigurationInfo known : recorder.getConfigurations()) {
      if (known.getName().equals(CHEAP)) {
        settings.putAll(known.getSettings());
      }
    }
    LEFT_OUT.forEach(event -> settings.put(event + "#enabled", "false"));
    // Workers and event loops that have nothing to do are parked all the time.
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

  /** A command that was killed leaves its recording, which has stopped by itself. */
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

  /**
   * Ends the recording and copies it.
   *
   * @return whether it is all there: false when it had become too large, and lacks its beginning
   */
  public boolean save(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      return isWhole(save(out));
    }
  }

  /** Whether a recording of so many bytes is all there, and does not lack its beginning. */
  public static boolean isWhole(long bytes) {
    return bytes < MAXIMUM_BYTES * 9 / 10;
  }

  /**
   * Ends the recording and copies it.
   *
   * @return its bytes
   */
  public long save(OutputStream out) throws IOException {
    recorder.stopRecording(id);
    long stream = recorder.openStream(id, Map.of("blockSize", Integer.toString(BLOCK_BYTES)));
    long bytes = 0;
    try {
      for (byte[] block = recorder.readStream(stream);
          block != null;
          block = recorder.readStream(stream)) {
        out.write(block);
        bytes += block.length;
      }
    } finally {
      recorder.closeStream(stream);
    }
    return bytes;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      recorder.closeRecording(id);
    }
  }
}
