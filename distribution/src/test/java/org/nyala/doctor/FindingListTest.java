package org.nyala.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.FindingsMXBean.Weight;

class FindingListTest {
  private final FindingList list = new FindingList();

  @Test
  void shouldListSoManyOfAnAreaAndCountTheRest() {
    for (int i = 0; i < FindingList.MOST + 2; i++) {
      list.add(Weight.ADVICE, "a", "number " + i, "");
    }
    list.add(Weight.FAULT, "a", "the worst", "");
    list.looked("b");
    List<Finding> all = list.all();
    assertThat(all).hasSize(FindingList.MOST + 2);
    assertThat(all.getFirst().sentence()).isEqualTo("the worst");
    assertThat(all).contains(new Finding(Weight.ADVICE, "a", "and 3 more", ""));
    assertThat(all.getLast()).isEqualTo(new Finding(Weight.OK, "b", "nothing found", ""));
  }

  @Test
  void shouldDriveNoTerminal() {
    list.add(Weight.WARNING, "a", "cn=\u001b[2J\u202ex\ny", "rm '\u009bx'");
    Finding finding = list.all().getFirst();
    assertThat(finding.sentence() + finding.command())
        .doesNotContain("\u001b", "\u202e", "\n", "\u009b");
  }
}
