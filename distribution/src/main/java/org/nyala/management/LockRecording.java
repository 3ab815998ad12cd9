package org.nyala.management;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import jdk.management.jfr.FlightRecorderMXBean;
import jdk.management.jfr.RecordingInfo;

/**
 * A flight recording in the server's JVM: who had to wait to enter a monitor, and who was parked.
 *
 * <p>Confined to one thread. Ends by itself a while after its time, should nobody close it.
 */
public final class LockRecording implements AutoCloseable {
  static final String BEAN = "jdk.management.jfr:type=FlightRecorder";

  static final String MONITOR_EVENT = "jdk.JavaMonitorEnter";
  static final String PARK_EVENT = "jdk.ThreadPark";

  private static final String NAME = "nyala contention";

  /** For the command to get to stopping it. */
  private static final int GRACE_SECONDS = 30;

  /** What the command has not fetched by then it will never fetch. */
  private static final long LEFT_BEHIND_MILLIS = 600_000;

  /** Disk that it takes at most, in the server's temporary folder; the oldest goes first. */
  private static final long MAXIMUM_BYTES = 256L << 20;

  private static final int BLOCK_BYTES = 1 << 20;

  private final FlightRecorderMXBean recorder;
  private final long id;
  private boolean closed;

  private LockRecording(FlightRecorderMXBean recorder) {
    this.recorder = recorder;
    this.id = recorder.newRecording();
  }

  static LockRecording start(FlightRecorderMXBean recorder, int seconds) throws IOException {
    removeLeftBehind(recorder);
    LockRecording recording = new LockRecording(recorder);
    try {
      recorder.setRecordingSettings(
          recording.id,
          Map.of(
              MONITOR_EVENT + "#enabled", "true",
              MONITOR_EVENT + "#threshold", "0 ns",
              MONITOR_EVENT + "#stackTrace", "true",
              PARK_EVENT + "#enabled", "true",
              PARK_EVENT + "#threshold", "0 ns",
              PARK_EVENT + "#stackTrace", "true"));
      recorder.setRecordingOptions(
          recording.id,
          Map.of(
              "name",
              NAME,
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
      if (info.getName().equals(NAME)
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
    recorder.stopRecording(id);
    long stream = recorder.openStream(id, Map.of("blockSize", Integer.toString(BLOCK_BYTES)));
    try (OutputStream out = Files.newOutputStream(file)) {
      for (byte[] block = recorder.readStream(stream);
          block != null;
          block = recorder.readStream(stream)) {
        out.write(block);
      }
    } finally {
      recorder.closeStream(stream);
    }
    return Files.size(file) < MAXIMUM_BYTES * 9 / 10;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      recorder.closeRecording(id);
    }
  }
}
