package org.nyala.management.bean;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A flight recording that the server itself makes for a client of its JMX port, where the recorder
 * of the JVM is out of reach. Confined to one thread.
 */
final class PortRecording implements Recording {
  private final RecordingMXBean bean;
  private final long number;
  private boolean closed;

  /** Takes over a recording that the bean has begun. */
  PortRecording(RecordingMXBean bean, long number) {
    this.bean = bean;
    this.number = number;
  }

  @Override
  public byte @Nullable [] next() throws IOException {
    byte[] block = bean.read(number);
    return block.length == 0 ? null : block;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      bean.discard(number);
    }
  }
}
