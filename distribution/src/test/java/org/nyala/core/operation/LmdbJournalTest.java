package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.SCHEMA;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.session.OperationFixture;
import org.nyala.integrity.LastReference;
import org.nyala.integrity.ReferentialIntegrityRule;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.LmdbReader;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.journal.JournalReader;

/** The journal that the requests of clients leave in a real store. */
class LmdbJournalTest {
  private static final String TOP = UpdateFixture.TOP;
  private static final String TREE_DELETE = "1.2.840.113556.1.4.805";
  private static final LmdbSettings SETTINGS =
      LmdbSettings.DEFAULT
          .withMapSizeBytes(256L << 20)
          .with(draft -> draft.durability = LmdbSettings.Durability.NONE);

  @TempDir Path folder;

  private LmdbBackend backend;
  private UpdateFixture directory;

  @BeforeEach
  void create() {
    LmdbBackend.create(folder, SCHEMA, List.of(TOP), List.of(), SETTINGS);
    backend = LmdbBackend.open(folder, SCHEMA, SETTINGS);
    directory = new UpdateFixture(List.of());
    directory.backend = backend;
    directory.rules.add(
        new ReferentialIntegrityRule(
            SCHEMA,
            List.of(SCHEMA.attributeType("seeAlso")),
            new LastReference.Refused(),
            1000,
            true));
    add(TOP, "objectClass", "domain", "dc", "example");
    add("ou=a," + TOP, "objectClass", "organizationalUnit", "ou", "a");
    for (String name : List.of("x", "y")) {
      add("ou=" + name + ",ou=a," + TOP, "objectClass", "organizationalUnit", "ou", name);
    }
    for (String name : List.of("r", "s")) {
      add(
          "ou=" + name + "," + TOP,
          "objectClass",
          "organizationalUnit",
          "ou",
          name,
          "seeAlso",
          "ou=x,ou=a," + TOP);
    }
  }

  @AfterEach
  void close() {
    directory.close();
    backend.close();
  }

  private void add(String name, String... pairs) {
    assertThat(directory.code(UpdateFixture.add(name, pairs))).isEqualTo(ResultCode.SUCCESS);
  }

  private List<JournalEntry> journal() {
    List<JournalEntry> entries = new ArrayList<>();
    try (ReadTransaction read = backend.beginRead();
        JournalReader journal = new JournalReader(((LmdbReader) read).slot())) {
      for (JournalEntry entry = journal.seek(0); entry != null; entry = journal.next()) {
        entries.add(entry);
      }
    }
    return entries;
  }

  private List<JournalEntry> journalAfter(int sequence) {
    List<JournalEntry> all = journal();
    for (int i = 1; i < all.size(); i++) {
      assertThat(all.get(i).csn()).isGreaterThan(all.get(i - 1).csn());
    }
    return all.subList(sequence, all.size());
  }

  private String stored(String name, String attribute) {
    RecordingSink sink =
        directory.run(OperationFixture.search(name, Scope.BASE, OperationFixture.ALL, attribute));
    return sink.attributes.getFirst().get(attribute).getFirst();
  }

  @Test
  void shouldHaveTheNumbersAndIdentifiersOfEntries() {
    List<JournalEntry> all = journalAfter(0);
    assertThat(all).hasSize(6).allMatch(each -> each.kind() == JournalEntry.Kind.ADD);
    String last = "ou=s," + TOP;
    assertThat(all.getLast().csn()).isEqualTo(Csn.parse(stored(last, "entryCSN")));
    assertThat(all.getLast().entryUuid()).hasToString(stored(last, "entryUUID"));
  }

  @Test
  void shouldHaveEachEntryOfADeletedTreeAndEachRepairedReference() {
    RequestControl treeDelete = new RequestControl(TREE_DELETE, true, null);
    assertThat(directory.code(UpdateFixture.delete("ou=a," + TOP, treeDelete)))
        .isEqualTo(ResultCode.SUCCESS);
    List<JournalEntry> changes = journalAfter(6);
    assertThat(changes)
        .filteredOn(each -> each.kind() == JournalEntry.Kind.DELETE)
        .extracting(JournalEntry::entryId)
        .containsExactlyInAnyOrder(2L, 3L, 4L);
    assertThat(changes)
        .filteredOn(each -> each.kind() == JournalEntry.Kind.MODIFY)
        .extracting(JournalEntry::entryId)
        .containsExactlyInAnyOrder(5L, 6L);
    assertThat(changes).hasSize(5);
    for (String name : List.of("ou=r,", "ou=s,")) {
      Csn own = Csn.parse(stored(name + TOP, "entryCSN"));
      assertThat(changes).filteredOn(each -> each.csn().equals(own)).hasSize(1);
    }
  }

  @Test
  void shouldMarkARenameThatMovesEntriesBelow() {
    assertThat(directory.code(UpdateFixture.rename("ou=a," + TOP, "ou=A", true)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(UpdateFixture.rename("ou=a," + TOP, "ou=b", true)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(UpdateFixture.rename("ou=y,ou=b," + TOP, "ou=z", true)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(journalAfter(6))
        .filteredOn(each -> each.kind() == JournalEntry.Kind.RENAME)
        .extracting(JournalEntry::movesSubordinates)
        .containsExactly(false, true, false);
  }

  @Test
  void shouldHaveNothingOfRequestsThatFail() {
    assertThat(directory.code(UpdateFixture.delete("ou=a," + TOP)))
        .isEqualTo(ResultCode.NOT_ALLOWED_ON_NON_LEAF);
    assertThat(journalAfter(6)).isEmpty();
  }
}
