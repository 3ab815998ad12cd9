package org.nyala.dynamic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.NOW;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.session.OperationFixture.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.nyala.core.Patience;
import org.nyala.core.Seeds;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.UpdateFixture;

/** Tests which dynamic entries are deleted when their time is over, and when. */
class EntryExpiryTest extends DynamicEntriesTestCase {
  private static final long SEED = Seeds.seed();

  @Test
  void shouldDeleteWhatHasExpired() {
    List<ResolvedChange> told = new ArrayList<>();
    directory.listeners.add(changes -> changes.forEach(change -> told.add(change.change())));
    directory.now = NOW.plusMillis(300);
    add(CALL);
    pass(600);
    sweep();
    assertThat(directory.stored(CALL)).isNotNull();
    told.clear();
    directory.now = directory.now.plusMillis(700);
    sweep();
    assertThat(directory.stored(CALL)).isNull();
    assertThat(told.getFirst())
        .isEqualTo(
            new ResolvedChange.Delete(
                UpdateFixture.dn(CALL), ((ResolvedChange.Delete) told.getFirst()).entryId()));
    assertThat(told).hasSize(2);
    add(CALL);
    assertThat(remaining(CALL)).isEqualTo("600");
  }

  @Test
  void shouldLetEntriesOutliveThoseBelowThem() {
    add(CALL);
    add(PART);
    add("cn=second," + CALL);
    assertThat(refresh(PART, 1000)).isEqualTo(ResultCode.SUCCESS);
    pass(600);
    sweep();
    assertThat(directory.stored(CALL)).isNotNull();
    assertThat(directory.stored("cn=second," + CALL)).isNull();
    assertThat(remaining(CALL)).isEqualTo("0");
    pass(399);
    sweep();
    assertThat(directory.stored(CALL)).isNotNull();
    pass(1);
    sweep();
    assertThat(directory.names()).doesNotContain(CALL, PART);
  }

  @Test
  void shouldNoticeThatAClientDeletedWhatWasBelow() {
    add(CALL);
    add(PART);
    assertThat(refresh(PART, 80_000)).isEqualTo(ResultCode.SUCCESS);
    pass(600);
    sweep();
    assertThat(directory.code(delete(PART))).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored(CALL)).isNotNull();
    pass(3600);
    sweep();
    assertThat(directory.stored(CALL)).isNull();
  }

  @Test
  void shouldGoOnAfterARestart() {
    add(CALL);
    add("cn=late," + TOP);
    assertThat(refresh("cn=late," + TOP, 5000)).isEqualTo(ResultCode.SUCCESS);
    directory.restart();
    pass(600);
    assertThat(directory.stored(CALL)).isNotNull();
    sweep();
    assertThat(directory.stored(CALL)).isNull();
    assertThat(remaining("cn=late," + TOP)).isEqualTo("4400");
    directory.restart();
    pass(4400);
    sweep();
    assertThat(directory.stored("cn=late," + TOP)).isNull();
  }

  @Test
  void shouldAdoptImportedEntries() {
    List<Entry> entries = new ArrayList<>(UpdateFixture.defaults());
    entries.add(imported("untimed"));
    entries.add(imported("timed", "entryExpireTimestamp", "20260131131000.5+0100"));
    entries.add(imported("listed", "entryTtl", "12345"));
    directory.close();
    directory = new UpdateFixture(entries);
    enable();
    assertThat(remaining("cn=timed," + TOP)).isEqualTo("601");
    assertThat(remaining("cn=untimed," + TOP)).isNull();
    assertThat(remaining("cn=listed," + TOP)).isNull();
    sweep();
    assertThat(remaining("cn=untimed," + TOP)).isEqualTo("600");
    assertThat(remaining("cn=listed," + TOP)).isEqualTo("600");
    pass(600);
    sweep();
    assertThat(directory.names()).doesNotContain("cn=untimed," + TOP, "cn=listed," + TOP);
    assertThat(directory.names()).contains("cn=timed," + TOP);
    pass(1);
    sweep();
    assertThat(directory.names()).doesNotContain("cn=timed," + TOP);
  }

  private static Entry imported(String cn, String... more) {
    List<String> pairs =
        new ArrayList<>(List.of("objectClass", "device", "objectClass", "dynamicObject", "cn", cn));
    pairs.addAll(List.of(more));
    return entry("cn=" + cn + "," + TOP, pairs.toArray(String[]::new));
  }

  @Test
  void shouldDeleteManyInTurns() {
    for (int i = 0; i < 600; i++) {
      add("cn=n" + i + "," + TOP);
    }
    pass(600);
    entries.expire();
    Patience.eventually(
        "all are gone", () -> directory.names().size() == UpdateFixture.defaults().size());
  }

  @Test
  void shouldKeepExactlyWhatAModelKeeps() {
    Random random = new Random(SEED);
    TreeMap<String, Long> model = new TreeMap<>();
    long second = 0;
    for (int step = 0; step < 600; step++) {
      String context = "seed " + SEED + " step " + step;
      String name = "cn=r" + random.nextInt(20) + "," + TOP;
      switch (random.nextInt(5)) {
        case 0, 1 -> {
          boolean isNew = !model.containsKey(name);
          assertThat(directory.code(dynamic(name)) == ResultCode.SUCCESS)
              .as(context)
              .isEqualTo(isNew);
          model.putIfAbsent(name, second + 600);
        }
        case 2 -> {
          int ttl = 10 + random.nextInt(2000);
          boolean isThere = model.containsKey(name);
          assertThat(refresh(name, ttl) == ResultCode.SUCCESS).as(context).isEqualTo(isThere);
          long end = second + ttl;
          model.computeIfPresent(name, (_, _) -> end);
        }
        case 3 -> {
          boolean isThere = model.remove(name) != null;
          assertThat(directory.code(delete(name)) == ResultCode.SUCCESS)
              .as(context)
              .isEqualTo(isThere);
        }
        default -> {
          int seconds = random.nextInt(300);
          pass(seconds);
          second += seconds;
          if (random.nextInt(5) == 0) {
            directory.restart();
          }
          sweep();
          long now = second;
          model.values().removeIf(end -> end <= now);
        }
      }
      TreeSet<String> there = new TreeSet<>(directory.names());
      there.removeIf(each -> !each.startsWith("cn=r"));
      assertThat(there).as(context).isEqualTo(model.keySet());
    }
  }
}
