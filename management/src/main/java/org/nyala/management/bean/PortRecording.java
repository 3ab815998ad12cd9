package org.nyala.management.bean;

import java.io.IOException;
import java.io.OutputStream;

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
  public long save(OutputStream out) throws IOException {
    long bytes = 0;
    for (byte[] block = bean.read(number); block.length > 0; block = bean.read(number)) {
      out.write(block);
      bytes += block.length;
    }
    return bytes;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      bean.discard(number);
    }
  }
}
