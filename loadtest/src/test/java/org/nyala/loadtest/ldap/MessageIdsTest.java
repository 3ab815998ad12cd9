package org.nyala.loadtest.ldap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class MessageIdsTest {
  private static final int NOTICE = 0;

  @Test
  void shouldLeadEachAnswerToTheConversationThatAwaitsIt() {
    MessageIds ids = new MessageIds(3);
    int second = ids.next(1);
    int first = ids.next(0);
    assertThat(ids.slotOf(first)).isEqualTo(0);
    assertThat(ids.slotOf(second)).isEqualTo(1);
    assertThat(ids.slotOf(NOTICE)).isEqualTo(-1);
    ids.answered(1);
    assertThat(ids.slotOf(second)).isEqualTo(-1);
    assertThat(ids.isExpectedByNone(second)).isFalse();
    assertThat(ids.slotOf(ids.next(1))).isEqualTo(1);
    ids.clear();
    assertThat(ids.slotOf(first)).isEqualTo(-1);
  }

  @Test
  void shouldExpectEachLateAnswerOnce() {
    MessageIds ids = new MessageIds(2);
    int late = ids.next(0);
    ids.forget(0);
    ids.forget(0);
    assertThat(ids.slotOf(late)).isEqualTo(-1);
    assertThat(ids.isExpectedByNone(late)).isTrue();
    ids.answeredToNone(NOTICE);
    assertThat(ids.isExpectedByNone(late)).isTrue();
    ids.answeredToNone(late);
    assertThat(ids.isExpectedByNone(late)).isFalse();
  }

  @Test
  void shouldTellTheSetUpFromNotices() {
    MessageIds ids = new MessageIds(2);
    assertThat(ids.isSetUp(NOTICE)).isFalse();
    int setUp = ids.nextForSetUp();
    assertThat(ids.isSetUp(setUp)).isTrue();
    assertThat(ids.slotOf(setUp)).isEqualTo(-1);
    assertThat(ids.isExpectedByNone(setUp)).isTrue();
    assertThat(ids.isExpectedByNone(NOTICE)).isTrue();
    assertThat(ids.isExpectedByNone(-1)).isFalse();
    ids.setUpAnswered();
    assertThat(ids.isSetUp(setUp)).isFalse();
    assertThat(ids.isExpectedByNone(setUp)).isFalse();
  }

  @Test
  void shouldBeginAgainBeforeIdsNeedAnotherByte() {
    int depth = 1000;
    MessageIds ids = new MessageIds(depth);
    Set<Integer> seen = new HashSet<>();
    int id = ids.next(depth - 1);
    while (seen.add(id)) {
      assertThat(id).isBetween(Pdu.FIRST_MESSAGE_ID, Pdu.LAST_MESSAGE_ID);
      assertThat(ids.slotOf(id)).isEqualTo(depth - 1);
      id = ids.next(depth - 1);
    }
    assertThat(seen).hasSizeGreaterThan(8000);
  }
}
