package org.nyala.netty.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.NotSslRecordException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.MemoryBudget;

/** Tests the bounds of records that have come in part. */
class PartialRecordsTest {
  private static final long TIMEOUT_MILLIS = 1000;

  /** Three records: of 3, 0 and 300 bytes. */
  private static final byte[] RECORDS = records(3, 0, 300);

  private final MemoryAccount memory =
      new MemoryBudget(MemoryBounds.of(64 << 20, 50, 50), System::nanoTime).open("client");
  private EmbeddedChannel channel;

  @BeforeEach
  void open() {
    channel = new EmbeddedChannel(new PartialRecords(memory, () -> TIMEOUT_MILLIS));
    channel.freezeTime();
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
    assertThat(memory.held()).isZero();
  }

  private static byte[] records(int... lengths) {
    ByteBuf out = Unpooled.buffer();
    for (int length : lengths) {
      out.writeByte(23).writeShort(0x0303).writeShort(length).writeZero(length);
    }
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    return bytes;
  }

  private void receive(byte[] bytes) {
    channel.writeInbound(Unpooled.wrappedBuffer(bytes));
  }

  private void advance(long millis) {
    channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
  }

  @Test
  void shouldHoldWhatHasComeOfARecordWhereverItIsSplit() {
    for (int split = 0; split <= RECORDS.length; split++) {
      receive(Arrays.copyOf(RECORDS, split));
      int expected = split < 8 ? split : split < 13 ? split - 8 : split - 13;
      assertThat(memory.held()).isEqualTo(split == RECORDS.length ? 0 : expected);
      receive(Arrays.copyOfRange(RECORDS, split, RECORDS.length));
      assertThat(memory.held()).isZero();
    }
    advance(2 * TIMEOUT_MILLIS);
    assertThat(channel.isOpen()).isTrue();
  }

  /** Clear text, SSL 2, another type or version, and a record that is too long by one byte. */
  @Test
  void shouldRefuseWhatNoRecordBeginsWithBeforeTheRestHasCome() {
    byte[][] heads = {
      {0x30}, {'G'}, {(byte) 0x80}, {19}, {24}, {22, 2}, {22, 4}, {23, 3, 3, 0x48, 1}
    };
    for (byte[] head : heads) {
      channel.finishAndReleaseAll();
      channel = new EmbeddedChannel(new PartialRecords(memory, () -> TIMEOUT_MILLIS));
      receive(RECORDS);
      receive(Arrays.copyOf(head, head.length - 1));
      channel.releaseInbound();
      assertThatThrownBy(() -> receive(Arrays.copyOfRange(head, head.length - 1, head.length)))
          .as("%s", Arrays.toString(head))
          .isInstanceOf(NotSslRecordException.class);
      receive(RECORDS);
      assertThat(channel.<Object>readInbound()).as("nothing passes behind it").isNull();
    }
  }

  @Test
  void shouldPassTheLongestRecord() {
    receive(records((1 << 14) + 2048));
    assertThat(channel.isOpen()).isTrue();
    assertThat(memory.held()).isZero();
  }

  /** Records of handshakes are refused behind the first one only, wherever they are split. */
  @Test
  void shouldRefuseRenegotiation() {
    byte[] another = RECORDS.clone();
    another[8] = 22;
    for (int split = 0; split <= another.length; split++) {
      PartialRecords records = new PartialRecords(memory, () -> TIMEOUT_MILLIS);
      channel.finishAndReleaseAll();
      channel = new EmbeddedChannel(records);
      receive(another);
      assertThat(channel.isOpen()).isTrue();
      records.established();
      receive(Arrays.copyOf(another, split));
      assertThat(channel.isOpen()).as("split at %s", split).isEqualTo(split <= 8);
      if (channel.isOpen()) {
        receive(Arrays.copyOfRange(another, split, another.length));
      }
      assertThat(channel.isOpen()).isFalse();
    }
  }

  /** The type is that of the first byte of a record, and of no other. */
  @Test
  void shouldNotLookForHandshakesInContent() {
    PartialRecords records = new PartialRecords(memory, () -> TIMEOUT_MILLIS);
    channel.finishAndReleaseAll();
    channel = new EmbeddedChannel(records);
    records.established();
    byte[] content = {
      23, 3, 3, 0, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22,
      22, 22, 22
    };
    receive(content);
    receive(RECORDS);
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void shouldCloseAConnectionWhoseRecordDoesNotBecomeWhole() {
    receive(Arrays.copyOf(RECORDS, RECORDS.length - 1));
    advance(TIMEOUT_MILLIS - 1);
    assertThat(channel.isOpen()).isTrue();
    advance(1);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void shouldNotCloseOneWhoseRecordsBecomeWhole() {
    for (int i = 0; i < 10; i++) {
      receive(Arrays.copyOf(RECORDS, 20));
      advance(TIMEOUT_MILLIS / 2);
      receive(Arrays.copyOfRange(RECORDS, 20, RECORDS.length));
      assertThat(channel.isOpen()).isTrue();
    }
  }

  @Test
  void shouldNotTellWhatAClientHasSentInClearText() {
    assertThat(HandshakeReasons.of(new NotSslRecordException("not a record: 63616e617279")))
        .doesNotContain("63616e617279");
    assertThat(HandshakeReasons.of(new IllegalStateException("a\nb" + "c".repeat(1000))))
        .startsWith("a b")
        .hasSize(200);
  }
}
