package org.nyala.core.access.decide;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecordWriter;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Pace;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The cost of 50 access rules for an entry that a search has found, by what they ask about entries,
 * and for a new parent and a new client. On 500 people in one organizational unit, without a store.
 * Confined to the benchmark's thread.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AccessRulesBenchmark {
  private static final int RULES = 50;
  private static final int PEOPLE = 500;
  private static final String UNIT = "ou=people,dc=example,dc=com";
  private static final GroupMemberships NONE =
      new GroupMemberships() {
        @Override
        public long version() {
          return 0;
        }

        @Override
        public boolean isMember(Group group) {
          return false;
        }
      };

  /** The question that a rule asks about an entry; none is decided for all of them at once. */
  @Param({"none", "self", "listed", "where", "value"})
  public String asked = "none";

  private final Schema schema = SchemaLoader.standard();
  private final List<ByteBuffer> records = new ArrayList<>();
  private final byte[] parent = UNIT.getBytes(StandardCharsets.UTF_8);
  private final EntryView view = new EntryView();
  private AttributeTable table = AttributeTable.EMPTY;
  private @Nullable CompiledRules compiled;
  private @Nullable DecidedRules client;
  private @Nullable EntryAccess access;

  /** Compiles the rules and makes the entries. */
  @Setup
  public void prepare() throws InvalidRulesException, InvalidDnException {
    byte[] text = text().getBytes(StandardCharsets.UTF_8);
    compiled = CompiledRules.of(RulesParser.parse("rules", text, schema), Map.of(), schema, null);
    client = compiled.forClient(facts(), NONE);
    access = new EntryAccess(client, (_, _, _, _) -> false);
    for (int i = 0; i < PEOPLE; i++) {
      records.add(record(i));
    }
  }

  private ClientFacts facts() throws InvalidDnException {
    Dn user = DnParser.parse(schema, "uid=user7," + UNIT);
    return new ClientFacts(user, null, 0, 0, 71, "simple");
  }

  private String text() {
    StringBuilder text = new StringBuilder("to attributes userPassword\n ");
    text.append(asked.equals("self") ? "self" : "anonymous").append(" may write\n");
    text.append(special());
    for (int i = 0; i < RULES; i++) {
      text.append(
          switch (i % 3) {
            case 0 -> "to subtree \"ou=unit" + i + ",dc=example,dc=com\"\n users may write\n";
            case 1 ->
                "to attributes mail, cn;lang-a" + i + "\n users from 10.0.0." + i + " may read\n";
            default ->
                "to below \"dc=example,dc=com\" attributes description;lang-a"
                    + i
                    + "\n group \"cn=g"
                    + i
                    + "\" may read\n";
          });
    }
    return text + "to all\n users may read\n";
  }

  private String special() {
    return switch (asked) {
      case "listed" -> "to attributes mobile\n listed in manager may read\n";
      case "where" -> "to where (employeeType=secret) attributes mobile\n all may nothing\n";
      case "value" -> "to attributes objectClass value \"account\"\n all may nothing\n";
      default -> "";
    };
  }

  private ByteBuffer record(int person) {
    EntryRecordWriter writer = new EntryRecordWriter().begin(1, bytes("uid=user" + person), 0);
    add(writer, "objectClass", "top", "person", "organizationalPerson", "inetOrgPerson");
    add(writer, "uid", "user" + person);
    add(writer, "cn", "User " + person);
    add(writer, "sn", String.valueOf(person));
    add(writer, "mail", "user" + person + "@example.com");
    add(writer, "manager", "uid=user" + person / 10 + "," + UNIT);
    add(writer, "employeeType", "staff");
    add(writer, "mobile", "+1 555 " + person);
    ByteAppender record = new ByteAppender(512);
    writer.finish(record);
    return ByteBuffer.wrap(record.toByteArray());
  }

  private void add(EntryRecordWriter writer, String attribute, String... values) {
    AttributeDescription description =
        Objects.requireNonNull(AttributeDescription.parse(schema, attribute));
    if (table.id(description) == AttributeTable.ABSENT) {
      table = table.with(description);
    }
    List<byte[]> all = new ArrayList<>();
    for (String value : values) {
      all.add(bytes(value));
    }
    writer.attribute(table.id(description), description.nameBytes(), false, false, all);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The answers for an entry: to itself, and to each attribute. */
  @Benchmark
  @OperationsPerInvocation(PEOPLE)
  public int entry() {
    EntryAccess found = Objects.requireNonNull(access);
    int readable = 0;
    for (int i = 0; i < PEOPLE; i++) {
      view.wrap(i, records.get(i), 0, parent);
      RuledProfile profile =
          Objects.requireNonNull(found.profile(view, table, _ -> false, Pace.UNBOUNDED));
      boolean[] granted = profile.granted(table, Right.READ);
      readable += profile.allowsEntry(Right.READ) && granted != null ? 1 : 0;
    }
    return readable;
  }

  /** The same entries without rules: what the loop costs. */
  @Benchmark
  @OperationsPerInvocation(PEOPLE)
  public long entryWithoutRules() {
    long parents = 0;
    for (int i = 0; i < PEOPLE; i++) {
      view.wrap(i, records.get(i), 0, parent);
      parents += view.parentId();
    }
    return parents;
  }

  /** The first entry of an operation, below a parent that other operations have met. */
  @Benchmark
  public @Nullable RuledProfile firstEntry() {
    EntryAccess first = new EntryAccess(Objects.requireNonNull(client), (_, _, _, _) -> false);
    view.wrap(1, records.getFirst(), 0, parent);
    return first.profile(view, table, _ -> false, Pace.UNBOUNDED);
  }

  /** A client whose rights are not kept yet. */
  @Benchmark
  public DecidedRules client() throws InvalidDnException {
    return Objects.requireNonNull(compiled).forClient(facts(), NONE);
  }
}
