package org.nyala.core.operation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.SCHEMA;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.session.OperationFixture;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.admin.StoreVerifier;
import org.nyala.lmdb.env.EntryProgress;
import org.nyala.lmdb.env.LmdbSettings;

/** The attribute contextCSN of the entries at the top of naming contexts of a real store. */
class LmdbContextCsnTest {
  private static final String TOP = UpdateFixture.TOP;
  private static final String OTHER = UpdateFixture.OTHER;
  private static final String NAME = "contextCSN";
  private static final String OF_SERVER_2 = "20270101000000.000005Z#000000#00a#000000";
  private static final LmdbSettings SETTINGS =
      LmdbSettings.DEFAULT
          .withMapSizeBytes(256L << 20)
          .with(draft -> draft.durability = LmdbSettings.Durability.NONE);

  @TempDir Path folder;

  private LmdbBackend backend;
  private UpdateFixture directory;

  @BeforeEach
  void create() {
    LmdbBackend.create(folder, SCHEMA, List.of(TOP, OTHER), List.of(), SETTINGS);
    open();
    add(TOP, "objectClass", "domain", "dc", "example");
    add(OTHER, "objectClass", "domain", "dc", "other");
    add("ou=a," + TOP, "objectClass", "organizationalUnit", "ou", "a");
  }

  private void open() {
    backend = LmdbBackend.open(folder, SCHEMA, SETTINGS);
    directory = new UpdateFixture(List.of());
    directory.backend = backend;
  }

  @AfterEach
  void close() {
    directory.close();
    backend.close();
  }

  private void add(String name, String... pairs) {
    assertThat(directory.code(UpdateFixture.add(name, pairs))).isEqualTo(ResultCode.SUCCESS);
  }

  /** Makes a change of another server, as its consumer does. */
  private void changeAs(String csn, String name) {
    directory.close();
    try (WriteTransaction write = backend.beginWrite()) {
      Dn dn = UpdateFixture.dn(name);
      write.apply(new ResolvedChange.Modify(dn, write.find(dn), List.of()), Csn.parse(csn));
      write.commit();
    }
    close();
    open();
  }

  private List<String> shown(String name, String... attributes) {
    RecordingSink sink =
        directory.run(OperationFixture.search(name, Scope.BASE, OperationFixture.ALL, attributes));
    return sink.attributes.getFirst().get(NAME);
  }

  private String entryCsn(String name) {
    RecordingSink sink =
        directory.run(OperationFixture.search(name, Scope.BASE, OperationFixture.ALL, "entryCSN"));
    return sink.attributes.getFirst().get("entryCSN").getFirst();
  }

  @Test
  void shouldBeShownAtTheTopByServer() {
    assertThat(shown(TOP, NAME)).containsExactly(entryCsn("ou=a," + TOP));
    assertThat(shown(OTHER, "+")).containsExactly(entryCsn(OTHER));
    assertThat(shown(TOP, "*")).isNull();
    assertThat(shown("ou=a," + TOP, "+", NAME)).isNull();
    changeAs(OF_SERVER_2, TOP);
    assertThat(shown(TOP, "+")).containsExactly(entryCsn("ou=a," + TOP), OF_SERVER_2);
    assertThat(shown(OTHER, NAME)).containsExactly(entryCsn(OTHER));
  }

  @Test
  void shouldBeComparedAndSearched() {
    changeAs(OF_SERVER_2, TOP);
    String own = entryCsn("ou=a," + TOP);
    assertThat(compare(TOP, own)).isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(compare(TOP, OF_SERVER_2)).isEqualTo(ResultCode.COMPARE_TRUE);
    assertThat(compare(OTHER, OF_SERVER_2)).isEqualTo(ResultCode.COMPARE_FALSE);
    assertThat(compare("ou=a," + TOP, own)).isEqualTo(ResultCode.NO_SUCH_ATTRIBUTE);
    byte[] value = OF_SERVER_2.replace("#00a", "#00A").getBytes(UTF_8);
    assertThat(found(new FilterNode.Equality(NAME, value))).containsExactly(TOP);
    assertThat(found(new FilterNode.GreaterOrEqual(NAME, value))).containsExactly(TOP);
    assertThat(found(new FilterNode.LessOrEqual(NAME, value))).containsExactly(TOP, OTHER);
    assertThat(found(new FilterNode.Present(NAME))).containsExactly(TOP, OTHER);
    assertThat(found(new FilterNode.Not(new FilterNode.Present(NAME))))
        .containsExactly("ou=a," + TOP);
    assertThat(found(new FilterNode.Equality(NAME, "x".getBytes(UTF_8)))).isEmpty();
  }

  private ResultCode compare(String name, String value) {
    return directory.code(new Request.Compare(1, name, NAME, value.getBytes(UTF_8), List.of()));
  }

  private List<String> found(FilterNode filter) {
    List<String> found = new java.util.ArrayList<>();
    for (String suffix : List.of(TOP, OTHER)) {
      found.addAll(
          directory.run(OperationFixture.search(suffix, Scope.SUBTREE, filter, "1.1")).dns);
    }
    return found;
  }

  @Test
  void shouldNotBeWritten() {
    assertThat(
            directory.code(UpdateFixture.modify(TOP, UpdateFixture.change(2, NAME, OF_SERVER_2))))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
  }

  @Test
  void shouldHaveTheClockGoOnAfterAllServers() {
    changeAs(OF_SERVER_2, OTHER);
    assertThat(Csn.parse(OF_SERVER_2).time()).isAfter(directory.now);
    add("ou=b," + TOP, "objectClass", "organizationalUnit", "ou", "b");
    // Some are left out, at random: the clock is behind.
    assertThat(entryCsn("ou=b," + TOP))
        .isBetween(
            "20270101000000.000006Z#000000#001#000000", "20270101000100.000006Z#000000#001#000000");
    assertThat(shown(TOP, NAME)).containsExactly(entryCsn("ou=b," + TOP));
  }

  @Test
  void shouldRefuseChangesAfterTheEndOfTheLastYear() {
    String last = "99991231235959.999999Z#000000#001#000000";
    changeAs("99991231235959.999998Z#000000#00a#000000", TOP);
    add("ou=b," + TOP, "objectClass", "organizationalUnit", "ou", "b");
    assertThat(entryCsn("ou=b," + TOP)).isEqualTo(last);
    for (int round = 0; round < 2; round++) {
      Request.Add further =
          UpdateFixture.add("ou=c," + TOP, "objectClass", "organizationalUnit", "ou", "c");
      assertThat(directory.code(further)).isEqualTo(ResultCode.UNAVAILABLE);
      close();
      open();
      assertThat(shown(TOP, NAME)).hasSize(2).contains(last);
    }
  }

  private static Request.Add relaxedAdd(String ou, String csn) {
    RequestControl relax = new RequestControl(ControlType.RELAX_RULES.oid(), true, null);
    return UpdateFixture.add(
        List.of(relax),
        "ou=" + ou + "," + TOP,
        "objectClass",
        "organizationalUnit",
        "ou",
        ou,
        "entryCSN",
        csn);
  }

  @Test
  void shouldTakeNumbersThatClientsGiveWithRelaxedRules() {
    String ofServer3 = "20260131110000.000000Z#000000#003#000000";
    String ahead = "20260131180000.000000Z#000000#001#000000";
    assertThat(directory.code(relaxedAdd("b", ofServer3))).isEqualTo(ResultCode.SUCCESS);
    assertThat(shown(TOP, NAME)).hasSize(2).contains(ofServer3);
    assertThat(directory.code(relaxedAdd("c", ahead))).isEqualTo(ResultCode.SUCCESS);
    assertThat(shown(TOP, NAME)).containsExactly(ahead, ofServer3);
    add("ou=d," + TOP, "objectClass", "organizationalUnit", "ou", "d");
    assertThat(entryCsn("ou=d," + TOP)).isEqualTo("20260131180000.000001Z#000000#001#000000");
    close();
    assertThat(StoreVerifier.verifyValues(folder, SCHEMA, 20, EntryProgress.NONE).problems())
        .isEmpty();
    open();
  }

  @Test
  void shouldRefuseNumbersOfClientsThatNoServerCanHaveGiven() {
    List<String> before = shown(TOP, NAME);
    for (String csn :
        List.of(
            "99991231235959.999999Z#000000#003#000000",
            "20260201120000.000001Z#000000#003#000000",
            "20269901000000.000000Z#000000#003#000000")) {
      assertThat(directory.code(relaxedAdd("b", csn))).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    }
    assertThat(shown(TOP, NAME)).isEqualTo(before);
  }

  @Test
  void shouldGiveEachEntryOfADeletedTreeANumber() {
    String first = shown(TOP, NAME).getFirst();
    add("ou=c,ou=a," + TOP, "objectClass", "organizationalUnit", "ou", "c");
    RequestControl treeDelete = new RequestControl("1.2.840.113556.1.4.805", true, null);
    assertThat(directory.code(UpdateFixture.delete("ou=a," + TOP, treeDelete)))
        .isEqualTo(ResultCode.SUCCESS);
    Csn last = Csn.parse(shown(TOP, NAME).getFirst());
    assertThat(last.micros()).isEqualTo(Csn.parse(first).micros() + 3);
  }
}
