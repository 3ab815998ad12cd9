package org.nyala.management;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import jdk.management.jfr.FlightRecorderMXBean;
import org.nyala.management.bean.ContentionMXBean;
import org.nyala.management.bean.FlightRecording;
import org.nyala.management.bean.RecordingMXBean;

/**
 * The flight recordings of clients of the JMX port. Thread-safe; to be closed, because recordings
 * take space on the disk.
 */
public final class RecordingManagement implements RecordingMXBean, AutoCloseable {
  /** The time to fetch a recording after its end. */
  private static final int FETCH_SECONDS = 120;

  private static final byte[] END = {};

  /** A recording and the time from which on it may be discarded. */
  private record Held(FlightRecording recording, long deadlineNanos) {}

  /** Begins a recording. */
  @FunctionalInterface
  private interface Beginning {
    FlightRecording begin(FlightRecorderMXBean recorder) throws IOException;
  }

  private final Map<Long, Held> held = new TreeMap<>();
  private final LongSupplier nanoTime;
  private long last;

  /**
   * Creates the bean.
   *
   * @param nanoTime the clock, as {@link System#nanoTime()}
   */
  public RecordingManagement(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public synchronized int getRecordings() {
    return held.size();
  }

  @Override
  public long startLocks(int seconds) throws IOException {
    return start(seconds, recorder -> FlightRecording.ofLocks(recorder, seconds));
  }

  @Override
  public long startServer(int seconds, long longerThanMicros) throws IOException {
    if (longerThanMicros < 0) {
      throw new IllegalArgumentException("longerThanMicros: " + longerThanMicros);
    }
    return start(
        seconds, recorder -> FlightRecording.ofServer(recorder, seconds, longerThanMicros));
  }

  private synchronized long start(int seconds, Beginning beginning) throws IOException {
    int most = ContentionMXBean.MAXIMUM_SECONDS;
    if (seconds < 1 || seconds > most) {
      throw new IllegalArgumentException("seconds: expected 1 to " + most + ", found " + seconds);
    }
    discardForgotten();
    if (held.size() >= MOST) {
      throw new IllegalStateException(MOST + " recordings run already, or were not fetched yet");
    }
    FlightRecorderMXBean recorder = recorder();
    FlightRecording.requireAlone(recorder);
    FlightRecording recording = beginning.begin(recorder);
    long lasts = TimeUnit.SECONDS.toNanos((long) seconds + FETCH_SECONDS);
    last++;
    held.put(last, new Held(recording, nanoTime.getAsLong() + lasts));
    return last;
  }

  private static FlightRecorderMXBean recorder() {
    return ManagementFactory.getPlatformMXBean(FlightRecorderMXBean.class);
  }

  private void discardForgotten() throws IOException {
    Iterator<Held> all = held.values().iterator();
    while (all.hasNext()) {
      Held each = all.next();
      if (nanoTime.getAsLong() - each.deadlineNanos() > 0) {
        all.remove();
        close(each.recording());
      }
    }
  }

  @Override
  public synchronized byte[] read(long number) throws IOException {
    Held known = held.get(number);
    if (known == null) {
      throw new IllegalStateException("recording " + number + " is not held any more");
    }
    FlightRecording.requireAlone(recorder());
    byte[] block = known.recording().next();
    return block == null ? END : block;
  }

  @Override
  public synchronized void discard(long number) throws IOException {
    Held known = held.remove(number);
    if (known != null) {
      close(known.recording());
    }
  }

  private static void close(FlightRecording recording) throws IOException {
    try {
      recording.close();
    } catch (IllegalArgumentException e) {
      // Somebody who is attached to the process has closed it, as intended.
    }
  }

  /** Discards all recordings. Idempotent. */
  @Override
  public synchronized void close() {
    for (Long number : new ArrayList<>(held.keySet())) {
      try {
        discard(number);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
