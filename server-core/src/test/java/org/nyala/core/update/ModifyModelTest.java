package org.nyala.core.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.update.RulesFixture.RULES;
import static org.nyala.core.update.RulesFixture.bytes;
import static org.nyala.core.update.RulesFixture.change;
import static org.nyala.core.update.RulesFixture.description;
import static org.nyala.core.update.RulesFixture.dn;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rules.AttributeModifications;
import org.nyala.core.rules.LargeValueLookup;

/**
 * Compares random modifications with a model that keeps lists of strings and searches them
 * linearly.
 */
class ModifyModelTest {
  private static final long SEED = Seeds.seed();
  private static final int RUNS = 5_000;
  private static final List<String> WORDS = List.of("a", "A", "b", "B", "c", "d", "D");
  private static final List<String> NUMBERS = List.of("1", "2", "3", "-4", "70000000000000000000");

  private final Random random = new Random(SEED);

  @Test
  void shouldDoWhatTheModelDoes() {
    Map<ResultCode, Integer> outcomes = new TreeMap<>();
    for (int run = 0; run < RUNS; run++) {
      Map<String, List<String>> before = randomAttributes();
      List<Request.Change> changes = randomChanges();
      boolean permissive = random.nextInt(4) == 0;
      boolean apart = random.nextBoolean();
      String context =
          "-Dtest.seed="
              + SEED
              + " run "
              + run
              + (apart ? " apart " : " ")
              + before
              + describe(changes);

      Map<String, List<String>> expected = copy(before);
      ResultCode expectedCode = model(expected, changes, permissive, apart);
      AttributeModifications actual = modifications(before, permissive, apart);
      ResultCode code = ResultCode.SUCCESS;
      try {
        actual.apply(RULES.present(changes, false).go(Pace.UNBOUNDED));
      } catch (LdapOperationException e) {
        code = e.result().code();
      }
      assertThat(code).as(context).isEqualTo(expectedCode);
      outcomes.merge(code, 1, Integer::sum);
      if (code == ResultCode.SUCCESS) {
        assertThat(sorted(applied(before, actual.changes(), context)))
            .as(context)
            .isEqualTo(sorted(expected));
        if (!apart) {
          assertThat(attributes(actual.entry())).as(context).isEqualTo(expected);
        }
      }
    }
    assertThat(outcomes)
        .as("-Dtest.seed=" + SEED)
        .containsKeys(
            ResultCode.SUCCESS,
            ResultCode.NO_SUCH_ATTRIBUTE,
            ResultCode.ATTRIBUTE_OR_VALUE_EXISTS,
            ResultCode.INAPPROPRIATE_MATCHING);
  }

  private static String describe(List<Request.Change> changes) {
    StringBuilder text = new StringBuilder();
    for (Request.Change each : changes) {
      text.append("; ").append(each.kind()).append(' ').append(each.attribute().attribute());
      strings(each.attribute().values()).forEach(value -> text.append(' ').append(value));
    }
    return text.toString();
  }

  private Map<String, List<String>> randomAttributes() {
    Map<String, List<String>> attributes = new HashMap<>();
    for (String name : List.of("description", "number", "raw")) {
      List<String> values = new ArrayList<>();
      for (String value : pick(name, random.nextInt(4))) {
        if (indexOf(name, values, value) < 0) {
          values.add(value);
        }
      }
      if (!values.isEmpty()) {
        attributes.put(name, values);
      }
    }
    return attributes;
  }

  private List<String> pick(String name, int count) {
    List<String> from = name.equals("number") ? NUMBERS : WORDS;
    List<String> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      values.add(from.get(random.nextInt(from.size())));
    }
    return values;
  }

  private List<Request.Change> randomChanges() {
    List<Request.Change> changes = new ArrayList<>();
    int count = 1 + random.nextInt(5);
    for (int i = 0; i < count; i++) {
      int kind = random.nextInt(4);
      String name =
          kind == 3 ? "number" : List.of("description", "number", "raw").get(random.nextInt(3));
      int values =
          switch (kind) {
            case 0 -> 1 + random.nextInt(2);
            case 3 -> 1;
            default -> random.nextInt(3);
          };
      changes.add(change(kind, name, pick(name, values).toArray(String[]::new)));
    }
    return changes;
  }

  /* The model: all presented values are checked first, then each change in turn. */
  private static ResultCode model(
      Map<String, List<String>> attributes,
      List<Request.Change> changes,
      boolean permissive,
      boolean apart) {
    for (Request.Change each : changes) {
      List<String> values = strings(each.attribute().values());
      if (each.kind() != 1 && hasTwins(each.attribute().attribute(), values)) {
        return ResultCode.ATTRIBUTE_OR_VALUE_EXISTS;
      }
    }
    Map<String, Boolean> isApart = new HashMap<>();
    attributes.keySet().forEach(name -> isApart.put(name, apart));
    for (Request.Change each : changes) {
      String name = each.attribute().attribute();
      List<String> given = strings(each.attribute().values());
      List<String> present = attributes.getOrDefault(name, new ArrayList<>());
      boolean hadValues = !present.isEmpty();
      ResultCode code =
          switch (each.kind()) {
            case 0 -> add(name, present, given, permissive);
            case 1 -> delete(name, present, given, permissive);
            case 2 -> replace(present, given);
            default ->
                isApart.getOrDefault(name, false) && !present.isEmpty()
                    ? ResultCode.ADMIN_LIMIT_EXCEEDED
                    : increment(present, given, permissive);
          };
      if (code != ResultCode.SUCCESS) {
        return code;
      }
      boolean replaces =
          switch (each.kind()) {
            case 0 -> false;
            case 1 -> given.isEmpty() && hadValues;
            case 2 -> true;
            default -> !hadValues;
          };
      if (replaces) {
        isApart.put(name, false);
      }
      attributes.remove(name);
      if (!present.isEmpty()) {
        attributes.put(name, present);
      }
    }
    return ResultCode.SUCCESS;
  }

  private static ResultCode add(
      String name, List<String> present, List<String> given, boolean permissive) {
    if (name.equals("raw") && !present.isEmpty()) {
      return ResultCode.INAPPROPRIATE_MATCHING;
    }
    for (String value : given) {
      if (indexOf(name, present, value) < 0) {
        present.add(value);
      } else if (!permissive) {
        return ResultCode.ATTRIBUTE_OR_VALUE_EXISTS;
      }
    }
    return ResultCode.SUCCESS;
  }

  private static ResultCode delete(
      String name, List<String> present, List<String> given, boolean permissive) {
    if (name.equals("raw") && !given.isEmpty()) {
      return ResultCode.INAPPROPRIATE_MATCHING;
    }
    if (present.isEmpty()) {
      return permissive ? ResultCode.SUCCESS : ResultCode.NO_SUCH_ATTRIBUTE;
    }
    if (given.isEmpty()) {
      present.clear();
      return ResultCode.SUCCESS;
    }
    List<String> original = List.copyOf(present);
    for (String value : given) {
      int index = indexOf(name, present, value);
      if (index >= 0) {
        present.remove(index);
      } else if (!permissive && indexOf(name, original, value) < 0) {
        return ResultCode.NO_SUCH_ATTRIBUTE;
      }
    }
    return ResultCode.SUCCESS;
  }

  private static ResultCode replace(List<String> present, List<String> given) {
    present.clear();
    present.addAll(given);
    return ResultCode.SUCCESS;
  }

  private static ResultCode increment(
      List<String> present, List<String> given, boolean permissive) {
    if (present.isEmpty()) {
      present.addAll(given);
      return permissive ? ResultCode.SUCCESS : ResultCode.NO_SUCH_ATTRIBUTE;
    }
    present.replaceAll(
        value -> new BigInteger(value).add(new BigInteger(given.getFirst())).toString());
    return ResultCode.SUCCESS;
  }

  private static boolean hasTwins(String name, List<String> values) {
    for (int i = 0; i < values.size(); i++) {
      if (indexOf(name, values, values.get(i)) < i) {
        return true;
      }
    }
    return false;
  }

  private static int indexOf(String name, List<String> values, String wanted) {
    for (int i = 0; i < values.size(); i++) {
      boolean same =
          name.equals("raw")
              ? values.get(i).equals(wanted)
              : values.get(i).toLowerCase(Locale.ROOT).equals(wanted.toLowerCase(Locale.ROOT));
      if (same) {
        return i;
      }
    }
    return -1;
  }

  private static AttributeModifications modifications(
      Map<String, List<String>> attributes, boolean permissive, boolean apart) {
    Entry entry = new Entry(dn("cn=m"));
    Map<AttributeDescription, LargeValueLookup> large = new HashMap<>();
    attributes.forEach(
        (name, values) -> {
          if (apart) {
            large.put(description(name), scanned(name, values));
          } else {
            values.forEach(value -> entry.add(description(name), bytes(value)));
          }
        });
    return new AttributeModifications(entry, large, permissive);
  }

  private static LargeValueLookup scanned(String name, List<String> values) {
    return new LargeValueLookup() {
      @Override
      public boolean contains(byte[] value) {
        return indexOf(name, values, new String(value, StandardCharsets.UTF_8)) >= 0;
      }

      @Override
      public long count() {
        return values.size();
      }
    };
  }

  /* The result of the changes in a store, which checks their preconditions. */
  private static Map<String, List<String>> applied(
      Map<String, List<String>> before, List<AttributeChange> changes, String context) {
    Map<String, List<String>> after = copy(before);
    for (AttributeChange change : changes) {
      String name = change.description().name();
      List<String> values = after.computeIfAbsent(name, _ -> new ArrayList<>());
      switch (change) {
        case AttributeChange.Replaced replaced -> replace(values, strings(replaced.values()));
        case AttributeChange.Updated updated -> {
          if (!updated.removed().isEmpty()) {
            assertThat(delete(name, values, strings(updated.removed()), false))
                .as(context)
                .isEqualTo(ResultCode.SUCCESS);
          }
          assertThat(hasTwins(name, strings(updated.removed()))).as(context).isFalse();
          assertThat(addAll(name, values, strings(updated.added()))).as(context).isTrue();
        }
      }
      if (values.isEmpty()) {
        after.remove(name);
      }
    }
    return after;
  }

  private static boolean addAll(String name, List<String> values, List<String> added) {
    values.addAll(added);
    return !hasTwins(name, values);
  }

  private static Map<String, List<String>> attributes(Entry entry) {
    Map<String, List<String>> attributes = new HashMap<>();
    for (AttributeDescription description : entry.descriptions()) {
      attributes.put(description.name(), strings(List.copyOf(entry.values(description))));
    }
    return attributes;
  }

  private static List<String> strings(List<byte[]> values) {
    List<String> strings = new ArrayList<>();
    values.forEach(value -> strings.add(new String(value, StandardCharsets.UTF_8)));
    return strings;
  }

  private static Map<String, Set<String>> sorted(Map<String, List<String>> attributes) {
    Map<String, Set<String>> sorted = new TreeMap<>();
    attributes.forEach((name, values) -> sorted.put(name, new TreeSet<>(values)));
    return sorted;
  }

  private static Map<String, List<String>> copy(Map<String, List<String>> attributes) {
    Map<String, List<String>> copy = new HashMap<>();
    attributes.forEach((name, values) -> copy.put(name, new ArrayList<>(values)));
    return copy;
  }
}
