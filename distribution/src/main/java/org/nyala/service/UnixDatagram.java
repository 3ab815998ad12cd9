package org.nyala.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A socket that sends datagrams to other processes on the machine (unix(7)); the JDK has no class
 * for it. Linux only.
 *
 * <p>Thread-safe.
 */
public final class UnixDatagram implements AutoCloseable {
  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int EAGAIN = 11;

  /** The bytes of an address before the path: its kind. */
  private static final int KIND_BYTES = 2;

  private static final int LONGEST_PATH = 107;
  private static final MemoryLayout ERRORS = Linker.Option.captureStateLayout();

  private final int socket;
  private boolean isClosed;

  private UnixDatagram(int socket) {
    this.socket = socket;
  }

  /** The functions of the C library, and the place of their error numbers. */
  private record Library(Linker linker, MemorySegment errors) {
    int socket() throws Throwable {
      MethodHandle socket =
          function(
              "socket",
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT));
      return (int) socket.invokeExact(errors, AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
    }

    long send(int socket, MemorySegment message, MemorySegment address) throws Throwable {
      MethodHandle sendTo =
          function(
              "sendto",
              FunctionDescriptor.of(
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_INT,
                  ValueLayout.ADDRESS,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_INT,
                  ValueLayout.ADDRESS,
                  ValueLayout.JAVA_INT));
      return (long)
          sendTo.invokeExact(
              errors,
              socket,
              message,
              message.byteSize(),
              MSG_NOSIGNAL | MSG_DONTWAIT,
              address,
              (int) address.byteSize());
    }

    void close(int socket) throws Throwable {
      MethodHandle close =
          function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
      int _ = (int) close.invokeExact(errors, socket);
    }

    /**
     * Returns a function; native access is granted when the program is started, by the manifest.
     */
    @SuppressWarnings("restricted")
    private MethodHandle function(String name, FunctionDescriptor descriptor) {
      return linker.downcallHandle(
          linker.defaultLookup().findOrThrow(name),
          descriptor,
          Linker.Option.captureCallState("errno"));
    }

    int error() {
      return (int) ERRNO.get(errors, 0L);
    }

    IOException failure(String doing) {
      return new IOException(doing + ": error " + error());
    }
  }

  private static final java.lang.invoke.VarHandle ERRNO =
      ERRORS.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  /** A call of the C library's functions. */
  private interface Call<T> {
    T with(Library library, Arena arena) throws Throwable;
  }

  private static <T> T call(Call<T> call) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      return call.with(new Library(Linker.nativeLinker(), arena.allocate(ERRORS)), arena);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException("this system does not support such sockets", e);
    }
  }

  /**
   * Creates a socket, which takes a file descriptor.
   *
   * @throws IOException if there is none left, or the system does not support such sockets
   */
  static UnixDatagram open() throws IOException {
    return call(
        (library, _) -> {
          int socket = library.socket();
          if (socket < 0) {
            throw library.failure("cannot create a socket");
          }
          return new UnixDatagram(socket);
        });
  }

  /**
   * Sends a text to the socket of an address; never waits.
   *
   * @param address a path, or {@code @} and a name in the abstract namespace
   * @return false if the receiver's queue is full; nothing was sent
   * @throws IOException if no process listens there, the address is invalid, or this is closed
   */
  synchronized boolean send(String address, String text) throws IOException {
    if (isClosed) {
      throw new IOException("the socket is closed");
    }
    return call(
        (library, arena) -> {
          MemorySegment to = address(arena, address);
          MemorySegment message = arena.allocateFrom(ValueLayout.JAVA_BYTE, text.getBytes(UTF_8));
          boolean isSent = library.send(socket, message, to) == message.byteSize();
          if (!isSent && library.error() != EAGAIN) {
            throw library.failure("cannot send");
          }
          return isSent;
        });
  }

  /** Closes the file descriptor. Idempotent. */
  @Override
  public synchronized void close() throws IOException {
    if (!isClosed) {
      isClosed = true;
      boolean _ =
          call(
              (library, _) -> {
                library.close(socket);
                return true;
              });
    }
  }

  /** Returns a struct sockaddr_un. */
  public static MemorySegment address(Arena arena, String address) throws IOException {
    byte[] path = address.getBytes(UTF_8);
    boolean isAbstract = address.startsWith("@");
    if (!isAbstract && !address.startsWith("/") || path.length < 2 || path.length > LONGEST_PATH) {
      throw new IOException(
          "expected a path or @ and a name, of at most " + LONGEST_PATH + " bytes: " + address);
    }
    if (isAbstract) {
      path[0] = 0;
    }
    // A path ends with a zero; the length of a name is that of the address.
    MemorySegment segment = arena.allocate(KIND_BYTES + path.length + (isAbstract ? 0 : 1), 2);
    segment.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
    MemorySegment.copy(MemorySegment.ofArray(path), 0, segment, KIND_BYTES, path.length);
    return segment;
  }
}
