package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.change;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.nyala.core.backend.Backend;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.LiveDirectory.Client;
import org.nyala.core.operation.LiveDirectory.Event;
import org.nyala.core.operation.sync.ContentSynchronization;
import org.nyala.core.session.OperationFixture;
import org.nyala.extension.Extension;

/** Clients that follow changes of a directory, and others that make them. */
abstract class PersistentSearchTestCase {
  static final int ALL = 15;

  LiveDirectory directory = live("striped", ServerLimits.DEFAULT);

  static LiveDirectory live(String strategy, ServerLimits limits) {
    return live(strategy, limits, store -> store);
  }

  static LiveDirectory live(
      String strategy, ServerLimits limits, UnaryOperator<Backend> between, Extension... further) {
    List<Extension> all = new ArrayList<>(List.of(further));
    all.add(ContentSynchronization.WITHOUT_LOGS);
    return new LiveDirectory(strategy, limits, between, all);
  }

  @AfterEach
  void close() {
    directory.close();
  }

  static Request.Search search(
      Client client, String base, Scope scope, FilterNode filter, int types, boolean changesOnly) {
    BerWriter content = new BerWriter().integer(types).bool(changesOnly).bool(true);
    byte[] value = new BerWriter().sequence(content).toByteArray();
    return new Request.Search(
        client.nextId(),
        base,
        scope,
        DerefAliases.NEVER,
        0,
        0,
        false,
        filter,
        List.of(),
        List.of(new RequestControl("2.16.840.1.113730.3.4.3", true, value)));
  }

  static FilterNode equal(String attribute, String value) {
    return new FilterNode.Equality(attribute, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Follows all changes below the top. */
  int follow(Client client) {
    return client.send(search(client, TOP, Scope.SUBTREE, OperationFixture.ALL, ALL, true));
  }

  /**
   * Waits until a number of searches follow; the writer notifies them of all changes from now on.
   */
  void awaitFollowers(int count) {
    eventually(count + " follow", () -> directory.operations.followers() == count);
    // It registers with the writer after it has begun to follow, but in the same slice.
    eventually("no slice runs", () -> directory.server.strategy().inFlight() == 0);
  }

  /** Follows, and waits until changes are reported. */
  int following(Client client, Request.Search search, Client writer) {
    int id = client.send(search);
    awaitFollowers(1);
    // The writer takes this change after the registration.
    assertThat(modify(writer, TOP, "settled").result().code()).isEqualTo(ResultCode.SUCCESS);
    return id;
  }

  static Event add(Client client, String name, String... pairs) {
    List<Request.AttributeValues> attributes = new ArrayList<>();
    for (int i = 0; i < pairs.length; i += 2) {
      attributes.add(UpdateFixture.values(pairs[i], pairs[i + 1]));
    }
    return client.ask(new Request.Add(client.nextId(), name, attributes, List.of()));
  }

  static Event addUnit(Client client, String ou, String parent) {
    return add(client, "ou=" + ou + "," + parent, "objectClass", "organizationalUnit", "ou", ou);
  }

  static Request describe(Client client, String name, String description) {
    return new Request.Modify(
        client.nextId(), name, List.of(change(2, "description", description)), List.of());
  }

  static Event modify(Client client, String name, String description) {
    return client.ask(describe(client, name, description));
  }

  static Event delete(Client client, String name) {
    return client.ask(new Request.Delete(client.nextId(), name, List.of()));
  }

  static List<String> names(List<Event> events) {
    return events.stream().map(Event::what).toList();
  }

  static int changeType(Event event) {
    byte[] value = event.controls().getFirst().value();
    return value[4];
  }
}
