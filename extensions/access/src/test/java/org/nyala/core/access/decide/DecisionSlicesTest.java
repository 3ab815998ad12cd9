package org.nyala.core.access.decide;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Pace;
import org.nyala.core.rights.Answer;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;

/** The tests of single entries in slices, and entries that change between them. */
class DecisionSlicesTest extends DecisionFixture {
  @Test
  void shouldNoticeThatAParentHasAnotherName() {
    String text = "to below \"%s\"\n users may read\n".formatted(PEOPLE);
    EntryAccess access = access(rules(text, ANN));
    assertThat(profile(access, BOB).allowsEntry(Right.READ)).isTrue();
    EntryView moved = new EntryView();
    moved.wrap(view.id(), view.buffer(), 0, "ou=others,dc=example,dc=com".getBytes(UTF_8));
    access.beginSlice();
    RuledProfile after = access.profile(moved, samples.table(), _ -> false, Pace.UNBOUNDED);
    assertThat(after.allowsEntry(Right.READ)).isFalse();
    access.beginSlice();
    assertThat(profile(access, BOB).allowsEntry(Right.READ)).isTrue();
  }

  @Test
  void shouldTestWideEntriesInSlices() {
    int most = 9_000;
    String[] members =
        IntStream.range(0, most).mapToObj(i -> "uid=u" + i + "," + PEOPLE).toArray(String[]::new);
    PlainEntry group = entry("cn=g," + TOP, "member", members);
    DecidedRules rules =
        rules(
            """
            to where (member=uid=u8999,ou=people,dc=example,dc=com) attributes member
              listed in owner may manage
              listed in member may write
            """,
            "uid=u8998," + PEOPLE);
    EntryAccess access = access(rules);
    samples.show(group, false, view);
    int slices = 1;
    RuledProfile profile = access.profile(view, samples.table(), _ -> false, OVER);
    while (profile == null) {
      slices++;
      profile = access.profile(view, samples.table(), _ -> false, OVER);
    }
    assertThat(slices).isBetween(2 * most / 1_000, 2 * most / 50);
    assertThat(access.tests()).isBetween(2L * most, 8L * most);
    assertThat(profile.onValues(description("member"), Right.ADD)).isEqualTo(Answer.GRANTED);
    assertThat(profile.onValues(description("member"), Right.MANAGE)).isEqualTo(Answer.DENIED);
    assertThat(access.isHopeless()).isFalse();
  }

  @Test
  void shouldBeginAgainIfTheEntryChangesBetweenSlices() {
    String[] members =
        IntStream.range(0, 9_000).mapToObj(i -> "uid=u" + i + "," + PEOPLE).toArray(String[]::new);
    PlainEntry before = entry("cn=g," + TOP, "member", members);
    Map<String, List<String>> attributes = new HashMap<>(before.attributes());
    attributes.put("sn", List.of("x"));
    PlainEntry after = new PlainEntry("cn=g," + TOP, attributes);
    String text =
        """
        to where (!(sn=x)) attributes cn
          all may read
        to where (member=cn=nobody) attributes cn
          all may read
        """;
    EntryAccess access = access(rules(text, ANN));
    samples.show(before, false, view);
    RuledProfile profile = access.profile(view, samples.table(), _ -> false, OVER);
    assertThat(profile).isNull();
    samples.show(after, false, view);
    while (profile == null) {
      profile = access.profile(view, samples.table(), _ -> false, OVER);
    }
    assertThat(profile.rights(description("cn"))).isEqualTo(Rights.NONE);
    boolean isBefore = true;
    for (int i = 0; i < 200 && !access.isHopeless(); i++) {
      samples.show(isBefore ? before : after, false, view);
      isBefore = !isBefore;
      assertThat(access.profile(view, samples.table(), _ -> false, OVER)).isNull();
    }
    assertThat(access.isHopeless()).isTrue();
  }
}
