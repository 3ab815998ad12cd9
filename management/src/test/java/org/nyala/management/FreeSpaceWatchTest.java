package org.nyala.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.lmdb.StoreStatus;

/** The alarms about the disk of the data. */
class FreeSpaceWatchTest {
  private static final long MEBIBYTE = 1 << 20;

  private final Notifications notices = new Notifications(InstantSource.system());

  private List<String> raised(long mebibytes, long freeBytes) {
    StoreWatch.lookAtDisk(
        new StoreStatus.Space(1, 1, 1, 4096, mebibytes * MEBIBYTE, freeBytes),
        WatchSettings.DEFAULT,
        notices);
    return notices.raised();
  }

  @Test
  void shouldTellInTwoLevelsThatTheDiskIsFilling() {
    int low = WatchSettings.DEFAULT.diskLowMebibytes();
    int scarce = WatchSettings.DEFAULT.diskScarceMebibytes();
    assertThat(raised(1_000_000, low * MEBIBYTE)).isEmpty();
    assertThat(raised(1_000_000, low * MEBIBYTE - 1)).containsExactly("store.diskLow");
    assertThat(notices.alarms())
        .containsExactly("the disk of the data has only 2047 MiB left of 1000000");
    assertThat(raised(1_000_000, scarce * MEBIBYTE)).containsExactly("store.diskLow");
    assertThat(raised(1_000_000, scarce * MEBIBYTE - 1))
        .containsExactly("store.diskLow", "store.diskScarce");
    assertThat(raised(1_000_000, -1)).as("not known").hasSize(2);
    assertThat(raised(1_000_000, low * MEBIBYTE)).isEmpty();
    assertThat(raised(100, 10 * MEBIBYTE)).as("a small disk").isEmpty();
    assertThat(raised(100, 10 * MEBIBYTE - 1)).containsExactly("store.diskLow");
    assertThat(raised(100, 2 * MEBIBYTE - 1)).hasSize(2);
  }
}
