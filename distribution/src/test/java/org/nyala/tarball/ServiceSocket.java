package org.nyala.tarball;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** The socket of a service manager, which receives the notifications of services. */
public final class ServiceSocket implements AutoCloseable {
  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;

  /** The bytes of an address before the path: its kind. */
  private static final int KIND_BYTES = 2;

  private static final int SOL_SOCKET = 1;
  private static final int SO_RCVTIMEO = 20;
  private static final int TIMEOUT_SECONDS = 60;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int CLOCK_MONOTONIC = 1;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private final String address;
  private final int socket;

  private ServiceSocket(String address, int socket) {
    this.address = address;
    this.socket = socket;
  }

  /** Listens at a path, or at @ and a name. */
  public static ServiceSocket open(String address) throws Throwable {
    int socket =
        (int) call("socket", FunctionDescriptor.of(INT, INT, INT, INT), AF_UNIX, SOCK_DGRAM, 0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment time = arena.allocate(LONG, 2);
      time.set(LONG, 0, TIMEOUT_SECONDS);
      int set =
          (int)
              call(
                  "setsockopt",
                  FunctionDescriptor.of(INT, INT, INT, INT, ValueLayout.ADDRESS, INT),
                  socket,
                  SOL_SOCKET,
                  SO_RCVTIMEO,
                  time,
                  (int) time.byteSize());
      assertThat(set).isZero();
      MemorySegment name = name(arena, address);
      int bound =
          (int)
              call(
                  "bind",
                  FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, INT),
                  socket,
                  name,
                  (int) name.byteSize());
      assertThat(bound).as(address).isZero();
    }
    return new ServiceSocket(address, socket);
  }

  /** Returns a struct sockaddr_un. */
  private static MemorySegment name(Arena arena, String address) {
    byte[] path = address.getBytes(UTF_8);
    boolean isAbstract = address.startsWith("@");
    if (isAbstract) {
      path[0] = 0;
    }
    // A path ends with a zero; the length of a name is that of the address.
    MemorySegment segment = arena.allocate(KIND_BYTES + path.length + (isAbstract ? 0 : 1), 2);
    segment.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
    MemorySegment.copy(MemorySegment.ofArray(path), 0, segment, KIND_BYTES, path.length);
    return segment;
  }

  public String address() {
    return address;
  }

  /** Discards all received datagrams. */
  public void drain() throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      while (receive(arena.allocate(1), MSG_DONTWAIT) >= 0) {
        // Reads another one.
      }
    }
  }

  private long receive(MemorySegment text, int flags) throws Throwable {
    return (long)
        call(
            "recv",
            FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT),
            socket,
            text,
            text.byteSize(),
            flags);
  }

  /** Waits for the next datagram and returns it. */
  public String receive() throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(4096);
      long length = receive(text, 0);
      assertThat(length).as("nothing received for %d s", TIMEOUT_SECONDS).isNotNegative();
      byte[] bytes = text.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
      return new String(bytes, UTF_8);
    }
  }

  /** Waits for the next datagram with a prefix; skips others. */
  public String receive(String beginning) throws Throwable {
    long start = System.nanoTime();
    String text = receive();
    while (!text.startsWith(beginning)) {
      assertThat(System.nanoTime() - start)
          .as("%s not received for %d s", beginning, TIMEOUT_SECONDS)
          .isLessThan(TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS));
      text = receive();
    }
    return text;
  }

  /** Returns the system's CLOCK_MONOTONIC. */
  public static long monotonicMicros() throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment time = arena.allocate(LONG, 2);
      int done =
          (int)
              call(
                  "clock_gettime",
                  FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS),
                  CLOCK_MONOTONIC,
                  time);
      assertThat(done).isZero();
      return time.get(LONG, 0) * 1_000_000 + time.get(LONG, 8) / 1000;
    }
  }

  @SuppressWarnings("restricted")
  private static Object call(String name, FunctionDescriptor descriptor, Object... arguments)
      throws Throwable {
    Linker linker = Linker.nativeLinker();
    return linker
        .downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor)
        .invokeWithArguments(Arrays.asList(arguments));
  }

  @Override
  public void close() {
    try {
      assertThat((int) call("close", FunctionDescriptor.of(INT, INT), socket)).isZero();
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
