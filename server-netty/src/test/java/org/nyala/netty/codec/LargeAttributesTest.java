package org.nyala.netty.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nyala.core.ber.Ber;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryRecordWriter;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.ResponseControl;
import org.nyala.netty.Pdus;
import org.nyala.netty.TestDirectory;

/** Tests that the message does not depend on where values are stored. */
final class LargeAttributesTest {
  private final TestDirectory directory = new TestDirectory();

  /** Values in a list, as a store would give them. */
  private static final class Listed implements LargeValues {
    private final List<byte[]> values;
    private int at = -1;

    Listed(List<byte[]> values) {
      this.values = values;
    }

    @Override
    public long count() {
      return values.size();
    }

    @Override
    public long octets() {
      return values.stream().mapToLong(value -> Ber.elementLength(value.length)).sum();
    }

    @Override
    public boolean contains(byte[] value) {
      return false;
    }

    @Override
    public boolean containsNormalized(byte[] normalized) {
      return false;
    }

    @Override
    public void rewind() {
      at = -1;
    }

    @Override
    public boolean next() {
      return ++at < values.size();
    }

    @Override
    public byte[] key() {
      return ByteBuffer.allocate(4).putInt(at).array();
    }

    @Override
    public void goTo(byte[] key) {
      at = ByteBuffer.wrap(key).getInt() - 1;
    }

    @Override
    public ByteBuffer buffer() {
      return ByteBuffer.wrap(values.get(at));
    }

    @Override
    public int start() {
      return 0;
    }

    @Override
    public int length() {
      return values.get(at).length;
    }
  }

  private static EntryView view(List<byte[]> values, boolean isApart) {
    ByteAppender target = new ByteAppender(1024);
    new EntryRecordWriter()
        .begin(1, Pdus.utf8("uid=a"), isApart ? EntryRecord.LARGE : 0)
        .attribute(5, Pdus.utf8("entryUUID"), true, false, List.of(Pdus.utf8("0-1-2-3")))
        .attribute(1, Pdus.utf8("cn"), false, false, List.of(Pdus.utf8("one"), new byte[] {49, 0}))
        .attribute(3, Pdus.utf8("description"), false, false, isApart ? List.of() : values)
        .attribute(2, Pdus.utf8("sn"), false, false, List.of(new byte[] {0x31, 0}))
        .finish(target);
    EntryView view = new EntryView();
    view.wrap(1, ByteBuffer.wrap(target.toByteArray()), 0, TestDirectory.PARENT);
    view.largeSource((_, index) -> index == 1 ? new Listed(values) : null);
    return view;
  }

  private byte[] encode(EntryView view, boolean typesOnly, String... names) {
    ByteBuf target = PooledByteBufAllocator.DEFAULT.directBuffer(16);
    List<ResponseControl> controls = List.of();
    try {
      EntryEncoder.append(
          target,
          7,
          view,
          directory.table,
          directory.selection(typesOnly, names),
          List.of(),
          ControlEncoder.encode(controls));
      return ByteBufUtil.getBytes(target);
    } finally {
      target.release();
    }
  }

  @Test
  void shouldSendValuesApartAsIfTheyStoodInTheRecord() {
    for (int count : new int[] {1, 2, 10, 100, 3000}) {
      List<byte[]> values = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        values.add(new byte[i % 300]);
      }
      for (boolean typesOnly : new boolean[] {false, true}) {
        for (String names : List.of("*", "*,+", "description", "cn", "sn,description", "1.1")) {
          String[] selected = names.split(",", -1);
          assertThat(encode(view(values, true), typesOnly, selected))
              .as("%d values, %s, types only %s", count, names, typesOnly)
              .isEqualTo(encode(view(values, false), typesOnly, selected));
        }
      }
    }
  }

  /** Returns the message written in parts of so many looks at the clock, and their number. */
  private Map.Entry<byte[], Integer> encodeInParts(EntryView view, int looks, String... names) {
    EntryParts parts =
        new EntryParts(
            7,
            view,
            directory.table,
            directory.selection(false, names),
            List.of(),
            ControlEncoder.encode(List.of()));
    ByteBuf target = PooledByteBufAllocator.DEFAULT.directBuffer(parts.octets());
    try {
      int slices = 1;
      while (!parts.write(target, view, new Looks(looks))) {
        assertThat(target.readableBytes()).isZero();
        slices++;
      }
      return Map.entry(ByteBufUtil.getBytes(target), slices);
    } finally {
      target.release();
    }
  }

  /** The end of a slice after so many looks at the clock. */
  private static final class Looks implements Pace {
    private int left;

    Looks(int looks) {
      this.left = looks;
    }

    @Override
    public boolean goesOn() {
      return left-- > 0;
    }
  }

  @Test
  void shouldWriteTheSameMessageInParts() {
    for (int count : new int[] {1, 63, 64, 65, 128, 129, 3000}) {
      List<byte[]> values = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        values.add(new byte[i % 300]);
      }
      for (int looks : new int[] {0, 1, 7, 1000}) {
        Map.Entry<byte[], Integer> written = encodeInParts(view(values, true), looks, "*", "+");
        assertThat(written.getKey())
            .as("%d values, %d looks", count, looks)
            .isEqualTo(encode(view(values, false), false, "*", "+"));
        assertThat(written.getValue()).isEqualTo((count - 1) / 64 / (looks + 1) + 1);
      }
    }
  }

  @Test
  void shouldWriteVeryManyValuesInPartsOnly() {
    List<byte[]> values = Collections.nCopies(100_000, new byte[10]);
    assertThatThrownBy(() -> encode(view(values, true), false, "description"))
        .isInstanceOf(IllegalStateException.class);
    Map.Entry<byte[], Integer> written = encodeInParts(view(values, true), 9, "description");
    assertThat(written.getKey()).isEqualTo(encode(view(values, false), false, "description"));
    assertThat(written.getValue()).isEqualTo((100_000 - 1) / 64 / 10 + 1);
  }

  @Test
  void shouldLookAtTheClockAfterFewLongValues() {
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      values.add(new byte[100_000]);
    }
    Map.Entry<byte[], Integer> written = encodeInParts(view(values, true), 0, "description");
    assertThat(written.getValue()).isEqualTo(8);
    assertThat(written.getKey()).isEqualTo(encode(view(values, false), false, "description"));
  }

  @Test
  void shouldNotSendAnEntryThatHasChangedMeanwhile() {
    List<byte[]> values = new ArrayList<>(Collections.nCopies(100, new byte[10]));
    EntryView view = view(values, true);
    EntryParts parts =
        new EntryParts(
            7,
            view,
            directory.table,
            directory.selection(false, "description"),
            List.of(),
            ControlEncoder.encode(List.of()));
    ByteBuf target = PooledByteBufAllocator.DEFAULT.directBuffer(parts.octets());
    try {
      assertThat(parts.write(target, view, () -> false)).isFalse();
      values.removeLast();
      assertThatThrownBy(() -> parts.write(target, view, () -> true))
          .isInstanceOf(IllegalStateException.class);
      assertThat(target.readableBytes()).isZero();
    } finally {
      target.release();
    }
  }
}
