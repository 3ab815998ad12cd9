package org.nyala.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.management.bean.SyncMXBean.Copy;

/** The alarms about copies. */
class CopyWatchTest {
  private final Notifications notices = new Notifications(InstantSource.system());

  private List<String> alarms(String phase, long lag, long stale, long guarded, String error) {
    Copy copy =
        new Copy(
            "ldap://p:389",
            "dc=a",
            phase,
            "",
            lag,
            stale,
            stale <= 600,
            0,
            0,
            0,
            0,
            guarded,
            1,
            List.of(),
            error,
            "");
    CopyWatch.look(List.of(copy), 300, notices);
    return notices.alarms();
  }

  @Test
  void shouldTellOfLongFailuresAndOfTheGuardUntilTheyAreOver() {
    assertThat(alarms("following", 500, 500, 0, "")).isEmpty();
    assertThat(alarms("refreshing", -1, 900, 0, "")).as("a long first refresh").isEmpty();
    assertThat(alarms("following", 900, 900, 0, ""))
        .containsExactly(
            "a copy is not kept up to date: dc=a: following, not known to be up to date for 900 s");
    assertThat(alarms("silent", 299, 299, 0, "")).isEmpty();
    assertThat(alarms("silent", 300, 300, 0, "")).hasSize(1);
    assertThat(alarms("waiting", 900, 299, 0, "gone")).isEmpty();
    assertThat(alarms("waiting", 900, 300, 0, "gone"))
        .containsExactly("a copy is not kept up to date: dc=a: gone");
    assertThat(alarms("guarded", 300, 300, 7, "too many"))
        .containsExactly("copying was stopped, see nyala sync status: dc=a may lose 7 entries");
    assertThat(alarms("waiting", -1, 300, 0, "gone")).hasSize(1);
    assertThat(alarms("waiting", -1, 1, 0, "gone")).as("just after the start").isEmpty();
    assertThat(alarms("waiting", -1, 300, 0, "gone")).hasSize(1);
    assertThat(alarms("following", 1, 1, 0, "")).isEmpty();
  }
}
