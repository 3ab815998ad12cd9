package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.sasl.SecurityLayer;
import org.nyala.core.sasl.SecurityLayerException;
import org.nyala.netty.ConnectionEncryption.SaslLayerHandler;

/** Tests the memory and the time of wrapped buffers that have come in part. */
class SaslLayerHandlerTest {
  private static final long TIMEOUT_MILLIS = 1000;
  private static final int HELD = 100;
  private static final int MOST = 20_000;

  /** A layer that puts one octet in front. */
  private static final class Marking implements SecurityLayer {
    private static final byte MARK = 0x55;

    @Override
    public int strengthBits() {
      return 1;
    }

    @Override
    public int heldBytes() {
      return HELD;
    }

    @Override
    public int mostReceived() {
      return MOST;
    }

    @Override
    public int mostSent() {
      return MOST - 1;
    }

    @Override
    public byte[] wrap(byte[] bytes) {
      byte[] wrapped = new byte[bytes.length + 1];
      wrapped[0] = MARK;
      System.arraycopy(bytes, 0, wrapped, 1, bytes.length);
      return wrapped;
    }

    @Override
    public byte[] unwrap(byte[] wrapped) throws SecurityLayerException {
      if (wrapped.length == 0 || wrapped[0] != MARK) {
        throw new SecurityLayerException("not marked");
      }
      return Arrays.copyOfRange(wrapped, 1, wrapped.length);
    }

    @Override
    public void close() {}
  }

  private final MemoryAccount memory =
      new MemoryBudget(MemoryBounds.of(64 << 20, 50, 50), System::nanoTime).open("client");
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final List<String> failures = new ArrayList<>();
  private EmbeddedChannel channel;

  @BeforeEach
  void open() {
    channel = new EmbeddedChannel();
    channel.config().setAllocator(allocator);
    channel
        .pipeline()
        .addLast(
            new SaslLayerHandler(
                new Marking(), Unpooled.EMPTY_BUFFER, memory, () -> TIMEOUT_MILLIS, failures::add));
    channel.freezeTime();
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
    assertThat(memory.held()).isZero();
  }

  private static byte[] buffers(int count, int length) {
    ByteBuf out = Unpooled.buffer();
    for (int i = 0; i < count; i++) {
      out.writeInt(length + 1).writeByte(Marking.MARK).writeZero(length);
    }
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    return bytes;
  }

  private void receive(byte[] bytes, int from, int to) {
    channel.writeInbound(
        allocator.directBuffer(to - from).writeBytes(Arrays.copyOfRange(bytes, from, to)));
  }

  private int taken() {
    int sum = 0;
    for (ByteBuf each = channel.readInbound(); each != null; each = channel.readInbound()) {
      sum += each.readableBytes();
      each.release();
    }
    return sum;
  }

  private void advance(long millis) {
    channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
  }

  /** Each segment ends within a buffer, so that something always waits. */
  @Test
  void shouldKeepNoMoreThanWaits() {
    byte[] all = buffers(2000, 9995);
    int taken = 0;
    receive(all, 0, 5000);
    for (int at = 5000; at + 10_000 <= all.length; at += 10_000) {
      receive(all, at, at + 10_000);
      taken += taken();
      assertThat(allocator.metric().usedDirectMemory()).isLessThan(256 << 10);
    }
    assertThat(taken).isEqualTo(1999 * 9995);
    assertThat(memory.held()).isBetween(HELD + 4000L, HELD + 10_000L);
    assertThat(failures).isEmpty();
  }

  @Test
  void shouldEndClientsThatStopInABuffer() {
    byte[] one = buffers(1, 300);
    receive(one, 0, 100);
    advance(2 * TIMEOUT_MILLIS);
    assertThat(channel.isOpen()).isFalse();
  }

  /** The server itself does not read on, because it waits for answers to be taken. */
  @Test
  void shouldNotEndClientsWhoseBuffersAreNotRead() {
    byte[] three = buffers(3, 300);
    channel.config().setAutoRead(false);
    receive(three, 0, three.length - 10);
    assertThat(taken()).isZero();
    assertThat(memory.held()).isEqualTo(HELD + three.length - 10L);
    advance(5 * TIMEOUT_MILLIS);
    assertThat(channel.isOpen()).isTrue();
    channel.config().setAutoRead(true);
    channel.runPendingTasks();
    assertThat(taken()).isEqualTo(600);
    receive(three, three.length - 10, three.length);
    assertThat(taken()).isEqualTo(300);
    advance(2 * TIMEOUT_MILLIS);
    assertThat(channel.isOpen()).isTrue();
  }
}
