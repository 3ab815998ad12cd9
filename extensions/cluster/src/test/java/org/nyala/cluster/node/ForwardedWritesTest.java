package org.nyala.cluster.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.LiveDirectory.Client;
import org.nyala.core.operation.LiveDirectory.Event;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.operation.update.EndTransaction;
import org.nyala.core.operation.update.StartTransaction;

/** Changes that clients ask of members that do not lead. */
final class ForwardedWritesTest {
  private static final String DONT_USE_COPY = "1.3.6.1.1.22";
  private static final Pattern LOG = Pattern.compile("(?m)^log +(\\d+) entries");

  @TempDir static Path folder;
  private static LiveCluster cluster;

  @BeforeAll
  static void form() throws Exception {
    Logger.getLogger("org.nyala").setLevel(Level.OFF);
    cluster = new LiveCluster(folder, new AccessPolicy(true), new Writes(true, 1_000), 10).form();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  static String unit(String name) {
    return "ou=" + name + "," + UpdateFixture.TOP;
  }

  static LdapResult add(Client client, String name, RequestControl... controls) {
    return client
        .ask(
            new Request.Add(
                client.nextId(),
                unit(name),
                List.of(values("objectClass", "organizationalUnit"), values("ou", name)),
                List.of(controls)))
        .result();
  }

  private static Request.AttributeValues values(String type, String value) {
    return new Request.AttributeValues(type, List.of(value.getBytes(UTF_8)));
  }

  static LdapResult replace(Client client, String name, String value, RequestControl... controls) {
    return client
        .ask(
            new Request.Modify(
                client.nextId(),
                name,
                List.of(
                    new Request.Change(
                        2,
                        new Request.AttributeValues(
                            "description", List.of(value.getBytes(UTF_8))))),
                List.of(controls)))
        .result();
  }

  /** Returns how many entries at a name have a description. */
  static int count(Client client, String name, String value, RequestControl... controls) {
    Request.Search search =
        new Request.Search(
            client.nextId(),
            name,
            Scope.BASE,
            DerefAliases.NEVER,
            0,
            0,
            true,
            new FilterNode.Equality("description", value.getBytes(UTF_8)),
            List.of("1.1"),
            List.of(controls));
    Event result = client.ask(search);
    if (result.result().code() != ResultCode.SUCCESS) {
      throw new AssertionError(result);
    }
    return client.entries(search.messageId()).size();
  }

  @Test
  void shouldShowTheChangeToTheConnectionThatMadeIt() {
    Client client = cluster.follower().root();
    String name = unit("own");
    assertThat(add(client, "own")).isEqualTo(LdapResult.SUCCESS);
    for (int i = 0; i < 100; i++) {
      assertThat(replace(client, name, "value " + i)).isEqualTo(LdapResult.SUCCESS);
      assertThat(count(client, name, "value " + i)).as("change %s", i).isEqualTo(1);
    }
  }

  @Test
  void shouldRefuseAsTheLeaderDoes() {
    String user = "uid=user," + UpdateFixture.PEOPLE;
    ResultCode added =
        cluster
            .follower()
            .root()
            .add(
                user,
                "objectClass=inetOrgPerson",
                "uid=user",
                "cn=A user",
                "sn=User",
                "userPassword=x");
    assertThat(added).isEqualTo(ResultCode.SUCCESS);
    for (String name : List.of("", user)) {
      Client there = cluster.leader().directory.open();
      Client here = cluster.follower().directory.open();
      there.bind(name, name.isEmpty() ? "" : "x");
      here.bind(name, name.isEmpty() ? "" : "x");
      LdapResult expected = replace(there, UpdateFixture.LEAF, "other");
      assertThat(expected.code()).isNotIn(ResultCode.SUCCESS, ResultCode.UNAVAILABLE);
      assertThat(replace(here, UpdateFixture.LEAF, "other")).isEqualTo(expected);
      assertThat(add(here, "refused")).isEqualTo(add(there, "refused"));
    }
    Client here = cluster.follower().root();
    Client there = cluster.leader().root();
    assertThat(replace(there, unit("none"), "x").code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(replace(here, unit("none"), "x")).isEqualTo(replace(there, unit("none"), "x"));
    assertThat(add(here, "leaf")).isEqualTo(add(there, "leaf"));
    assertThat(add(here, "leaf").code()).isEqualTo(ResultCode.ENTRY_ALREADY_EXISTS);
  }

  @Test
  void shouldReturnTheControlsOfTheLeader() {
    Client client = cluster.follower().root();
    assertThat(add(client, "read")).isEqualTo(LdapResult.SUCCESS);
    byte[] selection = new BerWriter().sequence(new BerWriter().text("description")).toByteArray();
    LdapResult result =
        replace(
            client,
            unit("read"),
            "seen afterwards",
            new RequestControl(ControlType.POST_READ.oid(), true, selection));
    assertThat(result.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(result.controls()).hasSize(1);
    assertThat(new String(result.controls().getFirst().value(), UTF_8)).contains("seen afterwards");
    LdapResult asserted =
        replace(
            client,
            unit("read"),
            "never",
            new RequestControl(ControlType.ASSERTION.oid(), true, equality("description", "no")));
    assertThat(asserted.code()).isEqualTo(ResultCode.ASSERTION_FAILED);
  }

  private static byte[] equality(String attribute, String value) {
    return new BerWriter()
        .constructed(0xa3, new BerWriter().text(attribute).text(value))
        .toByteArray();
  }

  @Test
  void shouldPassOnATransactionWhole() {
    Client client = cluster.follower().root();
    byte[] identifier = client.extended(StartTransaction.OID, null).value();
    RequestControl within = within(identifier);
    assertThat(add(client, "first", within)).isEqualTo(LdapResult.SUCCESS);
    assertThat(add(client, "second", within)).isEqualTo(LdapResult.SUCCESS);
    assertThat(end(client, true, identifier).result()).isEqualTo(LdapResult.SUCCESS);
    assertThat(replace(client, unit("second"), "there")).isEqualTo(LdapResult.SUCCESS);

    identifier = client.extended(StartTransaction.OID, null).value();
    within = within(identifier);
    assertThat(add(client, "third", within)).isEqualTo(LdapResult.SUCCESS);
    int failing = client.nextId() + 1;
    assertThat(add(client, "first", within)).isEqualTo(LdapResult.SUCCESS);
    Event ended = end(client, true, identifier);
    assertThat(ended.result().code()).isEqualTo(ResultCode.ENTRY_ALREADY_EXISTS);
    assertThat(ended.value())
        .isEqualTo(new BerWriter().sequence(new BerWriter().integer(failing)).toByteArray());
    assertThat(replace(client, unit("third"), "x").code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);

    identifier = client.extended(StartTransaction.OID, null).value();
    assertThat(add(client, "third", within(identifier))).isEqualTo(LdapResult.SUCCESS);
    assertThat(end(client, false, identifier).result()).isEqualTo(LdapResult.SUCCESS);
    assertThat(replace(client, unit("third"), "x").code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(end(client, true, identifier).result().code())
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
  }

  private static RequestControl within(byte[] identifier) {
    return new RequestControl(ControlType.TRANSACTION.oid(), true, identifier);
  }

  private static Event end(Client client, boolean commit, byte[] identifier) {
    return client.extended(
        EndTransaction.OID,
        new BerWriter().sequence(new BerWriter().bool(commit).octets(identifier)).toByteArray());
  }

  @Test
  void shouldReadWhatOthersHaveWrittenIfNoCopyIsToBeUsed() {
    Client writer = cluster.leader().root();
    Client reader = cluster.follower().root();
    RequestControl current = new RequestControl(DONT_USE_COPY, true, null);
    assertThat(add(writer, "current")).isEqualTo(LdapResult.SUCCESS);
    for (int i = 0; i < 30; i++) {
      assertThat(replace(writer, unit("current"), "value " + i)).isEqualTo(LdapResult.SUCCESS);
      assertThat(count(reader, unit("current"), "value " + i, current)).isEqualTo(1);
    }
  }

  private static long entriesOfLog() {
    Matcher found = LOG.matcher(cluster.leader().command("status"));
    assertThat(found.find()).isTrue();
    return Long.parseLong(found.group(1));
  }

  @Test
  void shouldWriteOneEntryForEachChangeAndHaveFollowersLearnOfTheLast() {
    Client writer = cluster.leader().root();
    assertThat(add(writer, "single")).isEqualTo(LdapResult.SUCCESS);
    long before = entriesOfLog();
    for (int i = 0; i < 20; i++) {
      assertThat(replace(writer, unit("single"), "value " + i)).isEqualTo(LdapResult.SUCCESS);
    }
    assertThat(entriesOfLog() - before).isEqualTo(20);
    for (LiveCluster.Member member : cluster.members) {
      Client reader = member.root();
      Patience.eventually(
          "a member has the last change", () -> count(reader, unit("single"), "value 19") == 1);
    }
    assertThat(entriesOfLog() - before).isEqualTo(20);
  }

  @Test
  void shouldRefuseWhatTheLogDoesNotTake() {
    String large = "x".repeat(31 << 20);
    for (LiveCluster.Member member : List.of(cluster.leader(), cluster.follower())) {
      LdapResult result = replace(member.root(), UpdateFixture.LEAF, large);
      assertThat(result.code()).as(result.message()).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
      assertThat(result.message()).contains("bytes");
    }
  }
}
