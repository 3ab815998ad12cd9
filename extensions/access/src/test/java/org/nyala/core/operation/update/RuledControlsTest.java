package org.nyala.core.operation.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.UpdateFixture.rename;
import static org.nyala.core.operation.update.ReadEntryControls.assertion;
import static org.nyala.core.operation.update.ReadEntryControls.read;
import static org.nyala.core.operation.update.RuledDirectory.ADMINS;
import static org.nyala.core.operation.update.RuledDirectory.BOB;
import static org.nyala.core.operation.update.RuledDirectory.HIDDEN;
import static org.nyala.core.operation.update.RuledDirectory.SECRET;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.RecordingSink;

/** Tests that controls and their messages tell no more than a client may see. */
class RuledControlsTest {
  private static final String PRE_READ = ControlType.PRE_READ.oid();
  private static final String POST_READ = ControlType.POST_READ.oid();

  private final RuledDirectory ruled = new RuledDirectory();

  @AfterEach
  void close() {
    ruled.close();
  }

  private static RequestControl assertingNot(String attribute, String value) {
    BerWriter pair = new BerWriter().text(attribute).text(value);
    BerWriter item = new BerWriter().constructed(0xa3, pair);
    byte[] filter = new BerWriter().constructed(0xa2, item).toByteArray();
    return new RequestControl(ControlType.ASSERTION.oid(), true, filter);
  }

  private static Map<String, List<String>> entry(RecordingSink sink, String oid)
      throws InvalidBerException {
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    Map<String, List<String>> attributes = ReadEntryControls.entry(sink, oid);
    attributes.remove("dn");
    return attributes;
  }

  @Test
  void shouldReturnWhatMayBeRead() throws InvalidBerException {
    ruled.rules(
        "to attributes mail\n  users may write",
        "to attributes sn\n  users may write",
        "to attributes member value \"" + BOB + "\"\n  users may nothing",
        "to all where (sn=gone) attributes entry\n  users may write",
        "to all\n  users may read, write");
    RequestControl before = read(ControlType.PRE_READ, "*", "entryDN");
    RequestControl after = read(ControlType.POST_READ, "*", "entryDN");
    RecordingSink sink =
        ruled.run(ANN, modify(List.of(before, after), BOB, change(2, "mail", "c")));
    assertThat(entry(sink, PRE_READ)).containsOnlyKeys("cn", "entryDN", "objectClass", "uid");
    assertThat(entry(sink, POST_READ)).containsOnlyKeys("cn", "entryDN", "objectClass", "uid");
    sink = ruled.run(ANN, modify(List.of(before, after), BOB, change(2, "sn", "gone")));
    assertThat(entry(sink, PRE_READ)).containsKey("cn");
    assertThat(entry(sink, POST_READ)).isEmpty();
    assertThat(entry(ruled.run(ANN, delete(BOB, before)), PRE_READ)).isEmpty();
    // Of a group, members that may not be read are not told from others: none is returned.
    sink = ruled.run(ANN, modify(List.of(before), ADMINS, change(0, "member", ANN)));
    assertThat(entry(sink, PRE_READ))
        .containsOnlyKeys("cn", "description", "entryDN", "objectClass", "owner");
  }

  @Test
  void shouldReturnNewEntriesAsFarAsTheyMayBeRead() throws InvalidBerException {
    ruled.rules("to attributes description\n  users may write", "to all\n  users may read, write");
    RecordingSink sink =
        ruled.run(
            ANN,
            add(
                List.of(read(ControlType.POST_READ)),
                "cn=x," + PEOPLE,
                "objectClass",
                "device",
                "cn",
                "x",
                "description",
                "x"));
    assertThat(entry(sink, POST_READ)).containsOnlyKeys("cn", "objectClass");
    sink = ruled.run(ANN, rename("cn=x," + PEOPLE, "cn=y", true, read(ControlType.POST_READ)));
    assertThat(entry(sink, POST_READ)).containsEntry("cn", List.of("y"));
  }

  @Test
  void shouldAssertWhatMayBeSearched() {
    ruled.rules(
        "to attributes mail\n  users may write, compare",
        "to subtree \"" + HIDDEN + "\"\n  entry \"" + BOB + "\" may write",
        "to all\n  users may read, write");
    for (RequestControl hidden : List.of(assertion("mail", "b"), assertingNot("mail", "x"))) {
      assertThat(ruled.code(ANN, modify(List.of(hidden), BOB, change(2, "sn", "x"))))
          .isEqualTo(ResultCode.ASSERTION_FAILED);
      assertThat(ruled.asRoot(modify(List.of(hidden), BOB, change(2, "sn", "y"))))
          .isEqualTo(ResultCode.SUCCESS);
    }
    assertThat(ruled.code(ANN, modify(List.of(assertion("uid", "bob")), BOB, change(2, "sn", "x"))))
        .isEqualTo(ResultCode.SUCCESS);
    for (String description : List.of("red", "blue")) {
      LdapResult result = ruled.result(ANN, delete(SECRET, assertion("description", description)));
      assertThat(result.code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    }
    String[] fresh = {"objectClass", "person", "cn", "x", "sn", "x", "description", "d"};
    assertThat(ruled.code(ANN, add(List.of(assertion("cn", "x")), "cn=x," + PEOPLE, fresh)))
        .isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldNotTellEntriesByTheirReferences() {
    ruled.rules(
        "to subtree \"" + HIDDEN + "\"\n  users may nothing", "to all\n  users may read, write");
    for (String superior : List.of(SECRET, "cn=nothing," + HIDDEN, "cn=nothing," + TOP)) {
      LdapResult refused = ruled.result(ANN, moved(superior));
      assertThat(refused.code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
      assertThat(refused.message()).isEqualTo("the new superior does not exist");
      assertThat(refused.matchedDn()).as(superior).isEqualTo(TOP);
    }
    assertThat(ruled.result(ANN, moved("cn=a,cn=b," + PEOPLE)).matchedDn()).isEqualTo(PEOPLE);
    ruled.rules("to all\n  users may read, write");
    assertThat(ruled.result(ANN, moved("cn=nothing," + HIDDEN)).matchedDn()).isEqualTo(HIDDEN);
  }

  private static Request moved(String superior) {
    return new Request.ModifyDn(1, LEAF, "ou=leaf", true, superior, List.of());
  }
}
