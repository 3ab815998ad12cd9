package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.change;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Patience;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.filter.Membership;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.LiveDirectory.Client;
import org.nyala.core.operation.LiveDirectory.Event;
import org.nyala.core.session.OperationFixture;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;
import org.nyala.extension.FixedExtension;

class PersistentSearchTest extends PersistentSearchTestCase {
  @Test
  void shouldTellWhatChangesAfterWhatIsThere() {
    Client client = directory.open();
    Client root = directory.root();
    int id =
        client.send(
            search(
                client,
                TOP,
                Scope.SUBTREE,
                equal("objectClass", "organizationalUnit"),
                ALL,
                false));
    assertThat(names(client.entries(id, 2))).containsExactly(PEOPLE, LEAF);
    assertThat(client.entries(id)).allSatisfy(event -> assertThat(event.controls()).isEmpty());
    addUnit(root, "new", TOP);
    modify(root, LEAF, "red");
    modify(root, ANN, "no unit");
    root.ask(new Request.ModifyDn(root.nextId(), LEAF, "ou=twig", true, null, List.of()));
    delete(root, "ou=new," + TOP);
    List<Event> changes = client.entries(id, 6).subList(2, 6);
    assertThat(names(changes))
        .containsExactly("ou=new," + TOP, LEAF, "ou=twig," + TOP, "ou=new," + TOP);
    assertThat(changes).extracting(PersistentSearchTest::changeType).containsExactly(1, 4, 8, 2);
    assertThat(new String(changes.get(2).controls().getFirst().value(), StandardCharsets.UTF_8))
        .endsWith(LEAF);
    assertThat(client.find(id)).isNull();
  }

  @Test
  void shouldTellOfWhatFollowsInTheCommitThatTheWriterPassedByIn() {
    directory.close();
    GatedBackend[] gated = new GatedBackend[1];
    // Everything but the writer runs on the clients' own threads: sent requests have been queued.
    directory =
        live(
            "run-to-completion",
            ServerLimits.DEFAULT,
            store -> {
              gated[0] = new GatedBackend(store);
              return gated[0];
            });
    Client root = directory.root();
    Client client = directory.open();
    int occupying = root.send(describe(root, TOP, "occupies the writer"));
    Patience.await(gated[0].committing);
    int before = root.send(describe(root, PEOPLE, "before"));
    int id = follow(client);
    int after = root.send(describe(root, LEAF, "after"));
    gated[0].commits.release(1000);
    for (int sent : List.of(occupying, before, after)) {
      assertThat(root.result(sent).result().code()).isEqualTo(ResultCode.SUCCESS);
    }
    modify(root, ANN, "later");
    assertThat(names(client.entries(id, 2))).containsExactly(LEAF, ANN);
  }

  /** The clock of the other server is behind the one here. */
  @Test
  void shouldTellChangesOfAnotherServerWhoseNumbersAreBeforeTheClock() throws Exception {
    Client client = directory.open();
    int id =
        following(
            client,
            search(client, TOP, Scope.SUBTREE, OperationFixture.ALL, ALL, true),
            directory.root());
    assertThat(names(client.entries(id, 1))).containsExactly(TOP);
    Replicated update = new Replicated(Csn.parse("20010203040506.000000Z#000000#005#000000"));
    OperationContext current = directory.operations.directory().get();
    current.runtime().writers().submit(current.contexts().backendOf(update.name), update);
    assertThat(names(client.entries(id, 2))).containsExactly(TOP, LEAF);
  }

  /** A change as a copy makes it. Confined to one thread at a time. */
  private record Replicated(Csn csn, Dn name) implements Update {
    Replicated(Csn csn) throws InvalidDnException {
      this(csn, DnParser.parse(OperationFixture.SCHEMA, LEAF));
    }

    @Override
    public LdapResult apply(UpdateContext context) {
      long id = context.transaction().find(name);
      context.replicate(new ResolvedChange.Modify(name, id, List.of()), csn);
      return LdapResult.SUCCESS;
    }

    @Override
    public void answer(LdapResult result) {
      assertThat(result.code()).isEqualTo(ResultCode.SUCCESS);
    }
  }

  @Test
  void shouldKeepToScopeFilterAndKindsOfChanges() {
    Client client = directory.open();
    Client root = directory.root();
    int id =
        following(
            client,
            search(client, TOP, Scope.ONE_LEVEL, equal("description", "x"), 1 | 2, true),
            root);
    modify(root, LEAF, "x");
    addUnit(root, "plain", TOP);
    add(
        root,
        "ou=deep," + PEOPLE,
        "objectClass",
        "organizationalUnit",
        "ou",
        "deep",
        "description",
        "x");
    add(
        root,
        "ou=wanted," + TOP,
        "objectClass",
        "organizationalUnit",
        "ou",
        "wanted",
        "description",
        "x");
    delete(root, "ou=plain," + TOP);
    delete(root, LEAF);
    assertThat(names(client.entries(id, 2))).containsExactly("ou=wanted," + TOP, LEAF);
  }

  @ParameterizedTest
  @ValueSource(strings = {"memberOf", "chain"})
  void shouldFollowWhoIsAMember(String kind) {
    directory.close();
    directory =
        live(
            "striped",
            ServerLimits.DEFAULT,
            store -> store,
            FixedExtension.of(
                Membership.of(
                    OperationFixture.SCHEMA.attributeType("memberOf"),
                    List.of(OperationFixture.SCHEMA.attributeType("member")),
                    true,
                    1000)));
    Client client = directory.open();
    Client root = directory.root();
    String group = "cn=group," + TOP;
    add(root, group, "objectClass", "groupOfNames", "cn", "group", "member", ANN);
    FilterNode filter =
        kind.equals("memberOf")
            ? equal("memberOf", group)
            : new FilterNode.Extensible(
                Membership.CHAIN_RULE_OID,
                "memberOf",
                group.getBytes(StandardCharsets.UTF_8),
                false);
    int id = following(client, search(client, TOP, Scope.SUBTREE, filter, ALL, true), root);
    modify(root, LEAF, "not yet a member");
    modify(root, ANN, "a member");
    // Reported changes were tested with the members of that moment, like earlier ones.
    client.entries(id, 1);
    root.ask(
        new Request.Modify(
            root.nextId(), group, List.of(change(2, "member", LEAF, PEOPLE)), List.of()));
    modify(root, ANN, "no member any longer");
    modify(root, LEAF, "a member now");
    delete(root, ANN);
    modify(root, PEOPLE, "a member, and the last");
    List<Event> changes = client.entries(id, 4);
    assertThat(names(changes)).containsExactly(ANN, LEAF, ANN, PEOPLE);
    assertThat(changes).extracting(PersistentSearchTest::changeType).containsExactly(4, 4, 2, 4);
  }

  @Test
  void shouldEndWithAnAnswerWhenCanceledAndWithoutWhenAbandoned() {
    Client client = directory.open();
    int canceled = follow(client);
    int abandoned = follow(client);
    awaitFollowers(2);
    BerWriter value = new BerWriter().sequence(new BerWriter().integer(canceled));
    assertThat(client.extended("1.3.6.1.1.8", value.toByteArray()).result().code())
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(client.result(canceled).result().code()).isEqualTo(ResultCode.CANCELED);
    client.send(new Request.Abandon(client.nextId(), abandoned, List.of()));
    awaitFollowers(0);
    eventually("all has ended", () -> client.inFlight() == 0);
    assertThat(client.find(abandoned)).isNull();
  }

  @Test
  void shouldLeaveNothingBehindWhenTheConnectionBreaksOrBindsAnew() {
    Client first = directory.open();
    Client second = directory.open();
    follow(first);
    follow(second);
    awaitFollowers(2);
    first.breakOff();
    second.bind(OperationFixture.ROOT.dn().toString(), "rootpw");
    awaitFollowers(0);
    eventually("all has ended", () -> first.inFlight() == 0 && second.inFlight() == 0);
    assertThat(modify(second, LEAF, "told nobody").result().code()).isEqualTo(ResultCode.SUCCESS);
    eventually("nothing is held", () -> directory.server.strategy().inFlight() == 0);
  }

  @Test
  void shouldNotKeepAServerFromStopping() {
    Client client = directory.open();
    int id = follow(client);
    awaitFollowers(1);
    client.drain();
    assertThat(client.result(id).result().code()).isEqualTo(ResultCode.UNAVAILABLE);
    eventually("all has ended", () -> client.inFlight() == 0);
    awaitFollowers(0);
  }

  @Test
  void shouldRefuseAnOrderOrPages() {
    Client client = directory.open();
    Request.Search plain = search(client, TOP, Scope.SUBTREE, OperationFixture.ALL, ALL, true);
    List<RequestControl> controls = new ArrayList<>(plain.controls());
    BerWriter page = new BerWriter().integer(10).octets(new byte[0]);
    controls.add(
        new RequestControl(
            "1.2.840.113556.1.4.319", true, new BerWriter().sequence(page).toByteArray()));
    Request.Search paged =
        new Request.Search(
            client.nextId(),
            TOP,
            Scope.SUBTREE,
            DerefAliases.NEVER,
            0,
            0,
            false,
            OperationFixture.ALL,
            List.of(),
            controls);
    assertThat(client.ask(paged).result().code()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
  }

  @Test
  void shouldRefuseWhereNothingChanges() {
    Client client = directory.open();
    Request.Search rootDse = search(client, "", Scope.BASE, OperationFixture.ALL, ALL, true);
    assertThat(client.ask(rootDse).result().code()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    Request.Search missing =
        search(client, "ou=no," + TOP, Scope.BASE, OperationFixture.ALL, ALL, true);
    assertThat(client.ask(missing).result().code()).isEqualTo(ResultCode.NO_SUCH_OBJECT);
    awaitFollowers(0);
  }

  /** Every entry is seen, at any interleaving of its addition with the search. */
  @Test
  void shouldLoseNothingBetweenWhatIsThereAndWhatChanges() {
    Client root = directory.root();
    Set<String> all = new HashSet<>();
    List<Client> clients = new ArrayList<>();
    List<Integer> searches = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      String name = "ou=n" + i + "," + PEOPLE;
      all.add(name);
      int added =
          root.send(
              new Request.Add(
                  root.nextId(),
                  name,
                  List.of(
                      UpdateFixture.values("objectClass", "organizationalUnit"),
                      UpdateFixture.values("ou", "n" + i)),
                  List.of()));
      if (i % 4 == 0) {
        Client client = directory.open();
        clients.add(client);
        searches.add(
            client.send(
                search(
                    client,
                    PEOPLE,
                    Scope.ONE_LEVEL,
                    equal("objectClass", "organizationalUnit"),
                    ALL,
                    false)));
      }
      assertThat(root.result(added).result().code()).isEqualTo(ResultCode.SUCCESS);
    }
    for (int i = 0; i < clients.size(); i++) {
      List<String> seen = names(clients.get(i).entries(searches.get(i), 60));
      assertThat(seen).as("client %d", i).containsExactlyInAnyOrderElementsOf(all);
    }
  }

  @Test
  void shouldEndWhenTheClientHasAsManyEntriesAsItWanted() {
    Client root = directory.root();
    Client client = directory.open();
    RequestControl control =
        new RequestControl(
            ControlType.PERSISTENT_SEARCH.oid(),
            true,
            new BerWriter()
                .sequence(new BerWriter().integer(15).bool(false).bool(false))
                .toByteArray());
    FilterNode all = new FilterNode.Present("objectClass");
    int id =
        client.send(
            new Request.Search(
                client.nextId(),
                LEAF,
                Scope.SUBTREE,
                DerefAliases.NEVER,
                2,
                0,
                false,
                all,
                List.of(),
                List.of(control)));
    client.entries(id, 1);
    modify(root, LEAF, "one");
    client.entries(id, 2);
    assertThat(client.find(id)).isNull();
    modify(root, LEAF, "two");
    assertThat(client.result(id).result().code()).isEqualTo(ResultCode.SIZE_LIMIT_EXCEEDED);
    awaitFollowers(0);
  }
}
