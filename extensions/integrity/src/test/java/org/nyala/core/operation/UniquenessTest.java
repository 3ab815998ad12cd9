package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.UpdateFixture.move;
import static org.nyala.core.session.OperationFixture.SCHEMA;
import static org.nyala.core.session.OperationFixture.entry;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.control.ControlType;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.OperationFixture;
import org.nyala.integrity.UniquenessRule;

class UniquenessTest {
  private static final String BOB = "uid=bob," + PEOPLE;
  private static final String EVE = "uid=eve," + LEAF;

  private final UpdateFixture directory = new UpdateFixture(entries());

  private static List<Entry> entries() {
    List<Entry> entries = new ArrayList<>(UpdateFixture.defaults());
    entries.add(person(BOB, "bob", "Bob@Example.com"));
    entries.add(person(EVE, "eve", "bob@example.com"));
    return entries;
  }

  private static Entry person(String name, String uid, String mail) {
    return entry(
        name, "objectClass", "inetOrgPerson", "uid", uid, "cn", uid, "sn", uid, "mail", mail);
  }

  @AfterEach
  void close() {
    directory.close();
  }

  private void unique(String base, CompiledFilter filter) {
    directory.rules.add(
        new UniquenessRule(
            SCHEMA,
            List.of(
                UniquenessRule.Constraint.of(
                    List.of(SCHEMA.attributeType("mail"), SCHEMA.attributeType("uid")),
                    base == null ? null : UpdateFixture.dn(base),
                    filter))));
  }

  private ResultCode addPerson(String name, String uid, String mail) {
    return directory.code(
        add(name, "objectClass", "inetOrgPerson", "uid", uid, "cn", "x", "sn", "x", "mail", mail));
  }

  private void allow(int lookups) {
    ServerLimits.UpdateLimits d = ServerLimits.UpdateLimits.DEFAULT;
    directory.limits =
        TestLimits.with(
            ServerLimits.DEFAULT,
            new ServerLimits.UpdateLimits(
                d.writeQueue(), d.writeBatch(), 10, 100, 10, lookups, d.sizes()));
  }

  @Test
  void shouldRefuseWhatTakesTooManyLookUpsWhileOthersWait() {
    allow(20);
    unique(null, null);
    String[] mails = new String[30];
    for (int i = 0; i < mails.length; i++) {
      mails[i] = "m" + i + "@example.com";
    }
    assertThat(directory.code(modify(ANN, change(0, "mail", mails))))
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.stored(ANN)).doesNotContainKey("mail");
    assertThat(directory.code(modify(ANN, change(0, "mail", Arrays.copyOf(mails, 5)))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(addPerson("uid=new," + PEOPLE, "new", "new@example.com"))
        .isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldRefuseValuesThatAnotherEntryHas() {
    unique(null, null);
    assertThat(addPerson("uid=new," + PEOPLE, "new", " BOB@example.COM"))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(addPerson("uid=new," + PEOPLE, "new", "new@example.com"))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(modify(ANN, change(0, "mail", "NEW@example.com"))))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(directory.code(modify(ANN, change(2, "mail", "ann@example.com"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(modify(ANN, change(2, "mail", "Ann@example.com"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(modify(ANN, change(0, "cn", "bob")))).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(modify(ANN, change(0, "uid", "bob@example.com"))))
        .isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldLeaveAloneWhatTheEntryHadBeforeTheRule() {
    unique(null, null);
    assertThat(directory.code(modify(BOB, change(0, "mail", "bob@work.example"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(modify(BOB, change(2, "mail", "BOB@example.com", "bob@home"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(modify(BOB, change(2, "mail", "bob@home"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(modify(BOB, change(0, "mail", "bob@example.com"))))
        .as("no longer had")
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(directory.code(modify(BOB, change(0, "mail", "bob@new", "eve@new"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(modify(EVE, change(0, "mail", "one@more", "eve@new"))))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
  }

  @Test
  void shouldLookAtTheValuesThatARenameAdds() {
    unique(null, null);
    assertThat(directory.code(move(ANN, "uid=eve", PEOPLE)))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(directory.code(move(ANN, "uid=anne", PEOPLE))).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldNameTheOtherEntryToRootOnly() {
    unique(null, null);
    Request.Modify change = modify(ANN, change(0, "mail", "bob@example.com"));
    LdapResult toRoot = directory.result(change);
    assertThat(toRoot.message()).contains("'bob@example.com'", "mail", BOB);
    directory.close();
    UpdateFixture other = new UpdateFixture(entries());
    other.rules.addAll(directory.rules);
    other.identity = OperationFixture.USER;
    other.access = new AccessPolicy(false).withWriters(Set.of(OperationFixture.USER.dn()));
    LdapResult toWriter = other.result(change);
    assertThat(toWriter.code()).isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(toWriter.message()).contains("'bob@example.com'", "mail").doesNotContain(PEOPLE);
    other.close();
  }

  @Test
  void shouldHoldBelowTheBaseOnlyAndLookAtWhatMovesThere() {
    unique(PEOPLE, null);
    assertThat(addPerson("uid=new," + LEAF, "new", "bob@example.com"))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(addPerson("uid=new," + PEOPLE, "new", "eve@example.com"))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(move(EVE, "uid=eve", PEOPLE)))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(directory.code(move(LEAF, "ou=leaf", PEOPLE)))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(directory.code(modify(BOB, change(2, "mail")))).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(move(EVE, "uid=eve", PEOPLE))).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldSeeEqualValuesAmongEntriesThatMoveTogether() {
    unique(PEOPLE, null);
    assertThat(directory.code(modify(BOB, change(2, "mail")))).isEqualTo(ResultCode.SUCCESS);
    assertThat(addPerson("uid=two," + LEAF, "two", "bob@example.com"))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(move(LEAF, "ou=leaf", PEOPLE)))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
  }

  @Test
  void shouldHoldForMatchingEntriesOnly() throws FilterLimitException {
    FilterNode filter =
        new FilterNode.Equality("employeeType", "staff".getBytes(StandardCharsets.UTF_8));
    unique(null, new FilterCompiler(SCHEMA, _ -> true, 9, 9).compileOwn(filter));
    assertThat(directory.code(modify(BOB, change(0, "employeeType", "staff"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(modify(ANN, change(0, "mail", "bob@example.com"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(modify(ANN, change(0, "employeeType", "staff"))))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(directory.code(modify(ANN, change(2, "mail"), change(0, "employeeType", "staff"))))
        .isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldRestWhereRootRelaxesTheRules() {
    unique(null, null);
    RequestControl relax = new RequestControl(ControlType.RELAX_RULES.oid(), true, null);
    assertThat(directory.code(modify(List.of(relax), ANN, change(0, "mail", "bob@example.com"))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(addPerson("uid=new," + TOP, "new", "bob@example.com"))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
  }
}
