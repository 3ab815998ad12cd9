package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.SCHEMA;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.search;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.enforce.RulesService;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.Request;
import org.nyala.core.message.Scope;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.LmdbSettings;

/**
 * Tests sorted lists under access rules that look at entries, in a store that changes meanwhile.
 */
class RuledListsTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String REFERRAL = "ou=r29," + TOP;
  private static final int MANY = 30;
  private static final String RULES =
      """
      to all where (|(description=hidden)(hasSubordinates=TRUE))
        all may search
      to all
        all may read
      """;

  @TempDir Path folder;

  private final OperationFixture directory = new OperationFixture();
  private LmdbBackend backend;

  @BeforeEach
  void open() {
    LmdbSettings settings = LmdbSettings.DEFAULT.withMapSizeBytes(64L << 20);
    LmdbBackend.create(folder, SCHEMA, List.of(TOP), List.of(), settings);
    backend = LmdbBackend.open(folder, SCHEMA, settings);
    directory.others.add(backend);
    directory.rights = new RulesService();
    directory.access = new AccessPolicy(true).withRules(new RulesText("access.rules", RULES));
    directory.identity = BoundIdentity.ANONYMOUS;
    directory.budget = new SliceBudget(4, Long.MAX_VALUE / 4);
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(new ResolvedChange.Add(entry(TOP, "objectClass", "domain", "dc", "example")));
      for (int i = 0; i < MANY; i++) {
        String name = "u" + (10 + i);
        write.apply(
            new ResolvedChange.Add(
                entry("uid=" + name + "," + TOP, "objectClass", "account", "uid", name)));
        write.apply(new ResolvedChange.Add(referral("r" + i)));
      }
      write.commit();
    }
  }

  private static Entry referral(String name) {
    return entry(
        "ou=" + name + "," + TOP,
        "objectClass",
        "referral",
        "objectClass",
        "extensibleObject",
        "ou",
        name,
        "ref",
        "ldap://127.0.0.1:1/ou=" + name);
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private static Request.Search sorted() {
    return ListRequests.with(
        search(TOP, Scope.SUBTREE, ALL),
        0,
        ListRequests.sort(true, new ListRequests.SortKey("uid", null, false)));
  }

  private void run(Operation operation) {
    Outcome outcome = Outcome.YIELDED;
    while (outcome != Outcome.DONE) {
      outcome = operation.run(directory.budget);
    }
  }

  /** Goes on until a client has got something, and no further. */
  private void begin(Operation operation, RecordingSink sink) {
    while (sink.references.isEmpty()) {
      assertThat(operation.run(directory.budget)).isEqualTo(Outcome.YIELDED);
    }
  }

  private void change(ResolvedChange change) {
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(change);
      write.commit();
    }
  }

  private long find(Dn name) {
    try (ReadTransaction read = backend.beginRead()) {
      return read.find(name);
    }
  }

  /** The next slices are those of another thread, with transactions of its own. */
  @Test
  void shouldFindRightsInTheTransactionOfEachSlice() throws Exception {
    RecordingSink sink = new RecordingSink(Integer.MAX_VALUE);
    Operation operation = directory.operation(sorted(), sink);
    begin(operation, sink);
    String last = "uid=u" + (9 + MANY) + "," + TOP;
    change(new ResolvedChange.Add(entry("uid=x," + last, "objectClass", "account", "uid", "x")));
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      other.submit(() -> run(operation)).get();
    }
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < MANY - 1; i++) {
      expected.add("uid=u" + (10 + i) + "," + TOP);
    }
    assertThat(sink.dns).isEqualTo(expected);
  }

  @Test
  void shouldSendNoReferenceThatWasHiddenMeanwhile() {
    RecordingSink sink = new RecordingSink(Integer.MAX_VALUE);
    Operation operation = directory.operation(sorted(), sink);
    begin(operation, sink);
    Dn name = UpdateFixture.dn(REFERRAL);
    AttributeDescription description = AttributeDescription.parse(SCHEMA, "description");
    byte[] hidden = "hidden".getBytes(StandardCharsets.UTF_8);
    change(
        new ResolvedChange.Modify(
            name, find(name), List.of(new AttributeChange.Replaced(description, List.of(hidden)))));
    run(operation);
    assertThat(sink.references)
        .hasSize(MANY - 1)
        .noneMatch(urls -> urls.toString().contains("ou=r29"));
  }
}
