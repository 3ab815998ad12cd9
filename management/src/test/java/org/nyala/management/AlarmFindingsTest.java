package org.nyala.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nyala.lmdb.StoreStatus;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.FindingsMXBean.Weight;
import org.nyala.management.bean.NoticeKind;

class AlarmFindingsTest {
  private static final long GIBIBYTE = 1L << 30;
  private static final long MEBIBYTE = 1L << 20;

  private static List<Finding> ofSpace(long usedPercent, long freeMebibytes) {
    StoreStatus.Space space =
        new StoreStatus.Space(
            GIBIBYTE,
            100 * MEBIBYTE,
            usedPercent * MEBIBYTE,
            4096,
            1000 * GIBIBYTE,
            freeMebibytes < 0 ? -1 : freeMebibytes * MEBIBYTE);
    return AlarmFindings.ofSpace(space, WatchSettings.DEFAULT);
  }

  /** The words of a stopped server are those of the alarm of a running one. */
  @Test
  void shouldTellOfSpaceAsTheAlarmsDo() {
    assertThat(ofSpace(10, 10_000)).isEmpty();
    assertThat(ofSpace(10, -1)).isEmpty();
    assertThat(ofSpace(10, 2000))
        .containsExactly(
            new Finding(
                Weight.WARNING,
                "disk",
                "the disk of the data has only 2000 MiB left of 1024000",
                "df -h"));
    assertThat(ofSpace(10, 100))
        .extracting(Finding::weight, Finding::sentence)
        .containsExactly(
            tuple(
                Weight.FAULT,
                "the disk of the data has only 100 MiB left of 1024000: changes may be refused"
                    + " soon"));
    assertThat(ofSpace(99, 10_000)).extracting(Finding::command).containsExactly("nyala compact");
  }

  @Test
  void shouldWeighWhatIsRaisedUntilItIsOver() {
    Notifications notices = new Notifications(InstantSource.system());
    notices.raise(NoticeKind.CLUSTER_BEHIND, "b lacks entries", Map.of());
    notices.raise(NoticeKind.STORE_DAMAGED, "damaged", Map.of());
    assertThat(AlarmFindings.of(notices.current()))
        .containsExactly(
            new Finding(Weight.FAULT, "store", "damaged", "nyala verify"),
            new Finding(Weight.WARNING, "cluster", "b lacks entries", "nyala cluster status"));
    notices.clear(NoticeKind.STORE_DAMAGED);
    assertThat(AlarmFindings.of(notices.current())).hasSize(1);
  }
}
