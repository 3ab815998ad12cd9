package org.nyala.lmdb.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MapWindowsTest {
  private static final long GIBIBYTE = 1L << 30;

  @TempDir Path directory;

  @Test
  void shouldReadWhatIsAtAnAddressAlsoAcrossTheEndOfAGibibyte() throws IOException {
    MapWindows windows = new MapWindows();
    // A file without blocks takes address space only.
    try (FileChannel file =
            FileChannel.open(
                directory.resolve("sparse"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        Arena arena = Arena.ofConfined()) {
      MemorySegment map = file.map(MapMode.READ_WRITE, 0, 3 * GIBIBYTE, arena);
      long border = (map.address() | GIBIBYTE - 1) + 1;
      for (long address = border - 12; address <= border + GIBIBYTE + 4; address += 8) {
        if (address > border + 12 && address < border + GIBIBYTE - 12) {
          address = border + GIBIBYTE - 12;
        }
        long value = address * 31;
        map.set(
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN),
            address - map.address(),
            value);
        ByteBuffer window = windows.window(address);
        assertThat(window.getLong(MapWindows.offset(address))).isEqualTo(value);
        assertThat(windows.window(address)).isSameAs(window);
      }
    }
  }

  @Test
  void shouldTellTheAddressOfWhatABufferHasAtItsPosition() {
    MapWindows windows = new MapWindows();
    ByteBuffer buffer = ByteBuffer.allocateDirect(64).putLong(8, 4711).position(8);
    long address = MapWindows.address(buffer);
    assertThat(windows.window(address).getLong(MapWindows.offset(address))).isEqualTo(4711);
    assertThat(buffer.position()).isEqualTo(8);
  }

  @Test
  void shouldNotTakeOneWindowForAnotherThatHasItsPlace() {
    MapWindows windows = new MapWindows();
    for (long address : new long[] {GIBIBYTE, GIBIBYTE << 10 | GIBIBYTE, 0x7fff_c000_0000L}) {
      for (int i = 0; i < 2; i++) {
        long base = MemorySegment.ofBuffer(windows.window(address + 5)).address();
        assertThat(base + MapWindows.offset(address + 5)).isEqualTo(address + 5);
      }
    }
  }

  @Test
  void shouldCoverWhatIsNoLongerThanWhatEachWindowHasLeft() {
    assertThat(MapWindows.covers(1 << 30)).isFalse();
    assertThat(MapWindows.covers((1 << 30) - 8)).isTrue();
  }
}
