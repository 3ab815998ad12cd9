package org.nyala.core.traffic;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/**
 * The cost of noting a search by its shape: of one test, of a login's filter with a list of
 * attributes, and of shapes that find no place. Names of attributes are new strings each time, as a
 * decoder makes them.
 */
@State(org.openjdk.jmh.annotations.Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SearchShapesBenchmark {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final int ROOM = 512;
  private static final int RDNS = 2;
  private static final long NANOS = 20_000;
  private static final long SEED = 42;
  private static final String ADDRESS = "10.0.0.1";

  private final SearchShapes shapes = new SearchShapes(ROOM, () -> SCHEMA, System::nanoTime, SEED);
  private final SearchShapes full = new SearchShapes(ROOM, () -> SCHEMA, System::nanoTime, SEED);

  /** A table whose rows are taken by heavier shapes. */
  public SearchShapesBenchmark() {
    for (int i = 0; i < ROOM * SearchShapes.WINDOW; i++) {
      note(full, search(equal("cn"), "taken-" + i), NANOS * NANOS);
    }
  }

  /** The number of the next shape of a thread. */
  @State(org.openjdk.jmh.annotations.Scope.Thread)
  public static class Numbers {
    private long next;
  }

  private static String fresh(String name) {
    return new String(name.getBytes(UTF_8), UTF_8);
  }

  private static FilterNode equal(String attribute) {
    return new FilterNode.Equality(fresh(attribute), new byte[8]);
  }

  private static Request.Search search(FilterNode filter, String... attributes) {
    return new Request.Search(
        1,
        "dc=example,dc=com",
        Scope.SUBTREE,
        DerefAliases.NEVER,
        0,
        0,
        false,
        filter,
        List.of(attributes),
        List.of());
  }

  private static Request.Search login() {
    return search(
        new FilterNode.And(List.of(equal("objectClass"), equal("uid"))),
        fresh("cn"),
        fresh("mail"),
        fresh("uidNumber"),
        fresh("gidNumber"),
        fresh("homeDirectory"),
        fresh("loginShell"));
  }

  private static boolean note(SearchShapes table, Request.Search search, long nanos) {
    ShapeRow row = table.row(search, RDNS, nanos, nanos);
    if (row != null && row.add(nanos, 1, 1, 0, nanos)) {
      row.client(Dn.EMPTY, ADDRESS, nanos);
    }
    return row != null;
  }

  /** The making of the request alone, to be subtracted. */
  @Benchmark
  public Request.Search makeOne() {
    return search(equal("uid"));
  }

  /** A search by one equality. */
  @Benchmark
  public boolean one() {
    return note(shapes, search(equal("uid")), NANOS);
  }

  /** The same of two threads. */
  @Benchmark
  @Threads(2)
  public boolean oneByTwo() {
    return note(shapes, search(equal("uid")), NANOS);
  }

  /** The making of the request alone, to be subtracted. */
  @Benchmark
  public Request.Search makeLogin() {
    return login();
  }

  /** A search by two equalities, with six attributes. */
  @Benchmark
  public boolean loginWithAttributes() {
    return note(shapes, login(), NANOS);
  }

  /** Endless shapes that find no place. */
  @Benchmark
  public boolean flood(Numbers numbers) {
    return note(full, search(equal("uid"), "x" + numbers.next++), NANOS);
  }
}
