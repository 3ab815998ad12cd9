package org.nyala.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/**
 * Ports for servers that are told theirs, or have the same one when they start again. They are
 * below those that the system hands out to sockets without a number, so that none of these gets one
 * while its server is not running; and each JVM that tests has a block of its own.
 *
 * <p>Thread-safe.
 */
public final class FreePorts {
  private static final int FIRST = 20_000;
  private static final int BLOCK = 1_000;
  private static final int BLOCKS = 12;

  /** The first port of the block, on which this JVM listens as long as it runs. */
  private static final ServerSocket GUARD = guard();

  private static int last;

  private FreePorts() {}

  private static ServerSocket guard() {
    IOException failure = new IOException("there are too many JVMs");
    for (int block = 0; block < BLOCKS; block++) {
      try {
        return listen(FIRST + block * BLOCK);
      } catch (IOException e) {
        failure = e;
      }
    }
    throw new UncheckedIOException(failure);
  }

  private static ServerSocket listen(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
  }

  /** Returns a port on which nobody listens. It is given again only after all others. */
  public static synchronized int take() {
    for (int i = 1; i < BLOCK; i++) {
      last = last % (BLOCK - 1) + 1;
      int port = GUARD.getLocalPort() + last;
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no port above " + GUARD.getLocalPort() + " is free");
  }

  private static boolean isFree(int port) {
    try (ServerSocket _ = listen(port)) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
