package org.nyala.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.search;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.filter.Membership;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.core.session.OperationFixture;

class ExtensionsTest {
  private static final Pattern CONTRADICTION =
      Pattern.compile(
          "the extension (\\S+) has to come both before and after the extension (\\S+): .*");

  private static Extension extension(String name, Place place) {
    return Extension.of(name, place, _ -> Hooks.NONE);
  }

  private static List<String> names(Extensions extensions) {
    return extensions.all().stream().map(Extension::name).toList();
  }

  @Test
  void shouldKeepTheOrderGivenWherePlacesLeaveAChoice() {
    assertThat(
            names(
                Extensions.of(
                    List.of(
                        extension("last", Place.ANYWHERE.behind("second")),
                        extension("first", Place.ANYWHERE),
                        extension("second", Place.ANYWHERE),
                        extension("ahead", Place.ANYWHERE.ahead("first", "absent"))))))
        .containsExactly("second", "last", "ahead", "first");
  }

  @Test
  void shouldRefuseNamesThatAreTakenOrMalformed() {
    Extension one = extension("one", Place.ANYWHERE);
    assertThatThrownBy(() -> Extensions.of(List.of(one, one)))
        .hasMessage("two extensions have the name one");
    for (String name : List.of("", "One", "1st", "a b", "a".repeat(41))) {
      assertThatThrownBy(() -> Extensions.of(List.of(extension(name, Place.ANYWHERE))))
          .hasMessage("'" + name + "' is no name of an extension");
    }
  }

  /** Compares random places with a search through all orders. */
  @Test
  void shouldOrderByPlacesOrNameTwoThatContradict() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int round = 0; round < 2000; round++) {
      List<Extension> given = random(random, 1 + random.nextInt(5));
      boolean isPossible = isPossible(new ArrayList<>(), given);
      List<Extension> ordered;
      try {
        ordered = Extensions.of(given).all();
      } catch (IllegalArgumentException e) {
        assertThat(isPossible).as("seed %d, round %d", seed, round).isFalse();
        requireCircle(String.valueOf(e.getMessage()), given);
        continue;
      }
      assertThat(isAllowed(ordered)).as("seed %d, round %d", seed, round).isTrue();
      assertThat(ordered).containsExactlyInAnyOrderElementsOf(given);
    }
  }

  private static List<Extension> random(Random random, int count) {
    List<Extension> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(extension("e" + i, new Place(others(random, count, i), others(random, count, i))));
    }
    Collections.shuffle(all, random);
    return all;
  }

  private static Set<String> others(Random random, int count, int own) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < count; i++) {
      if (i != own && random.nextInt(5) == 0) {
        names.add("e" + i);
      }
    }
    return names;
  }

  private static boolean isPossible(List<Extension> begun, List<Extension> left) {
    if (left.isEmpty()) {
      return isAllowed(begun);
    }
    for (Extension each : left) {
      List<Extension> longer = new ArrayList<>(begun);
      longer.add(each);
      List<Extension> fewer = new ArrayList<>(left);
      fewer.remove(each);
      if (isPossible(longer, fewer)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isAllowed(List<Extension> order) {
    for (int i = 0; i < order.size(); i++) {
      for (int k = i + 1; k < order.size(); k++) {
        if (precedes(order.get(k), order.get(i))) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean precedes(Extension one, Extension other) {
    return one.place().before().contains(other.name())
        || other.place().after().contains(one.name());
  }

  /** Requires that each of the two that a message names is led back to by the other. */
  private static void requireCircle(String message, List<Extension> given) {
    Matcher matcher = CONTRADICTION.matcher(message);
    assertThat(matcher.matches()).as(message).isTrue();
    assertThat(leads(matcher.group(1), matcher.group(2), given)).as(message).isTrue();
    assertThat(leads(matcher.group(2), matcher.group(1), given)).as(message).isTrue();
  }

  private static boolean leads(String from, String to, List<Extension> given) {
    Set<String> reached = new HashSet<>(Set.of(from));
    for (int i = 0; i < given.size(); i++) {
      for (Extension one : given) {
        for (Extension other : given) {
          if (reached.contains(one.name()) && precedes(one, other)) {
            reached.add(other.name());
          }
        }
      }
    }
    return !from.equals(to) && reached.contains(to);
  }

  @Test
  void shouldRefuseASecondComputationOfMemberships() {
    Schema schema = SchemaLoader.standard();
    Membership membership =
        Membership.of(
            AttributeProviders.memberships(schema),
            List.of(schema.attributeType("member")),
            false,
            10);
    Extension one = new FixedExtension("one", List.of(), membership, List.of());
    Extension two = new FixedExtension("two", List.of(), membership, List.of());
    assertThat(Extensions.of(List.of(one)).membership(schema)).isSameAs(membership);
    assertThatThrownBy(() -> Extensions.of(List.of(one, two)).membership(schema))
        .hasMessage("the extensions one and two both compute memberOf");
  }

  /** Returns an extension that ends searches of a base with a result. */
  private static Extension ending(String name, String base, ResultCode with) {
    SearchKind kind =
        (asked, _) ->
            asked.request().base().equals(base)
                ? (operation, _) -> {
                  operation.sink().result(asked.request(), LdapResult.of(with));
                  return Outcome.DONE;
                }
                : null;
    Hooks hooks =
        new Hooks() {
          @Override
          public List<SearchKind> searches() {
            return List.of(kind);
          }
        };
    return Extension.of(name, Place.ANYWHERE, _ -> hooks);
  }

  @Test
  void shouldLetTheFirstKindOfSearchTakeItOver() {
    OperationFixture directory = new OperationFixture().store(List.of(), false);
    directory.extensions.add(ending("one", "dc=one", ResultCode.BUSY));
    directory.extensions.add(ending("two", "dc=one", ResultCode.UNAVAILABLE));
    directory.extensions.add(ending("three", "dc=two", ResultCode.LOOP_DETECT));
    assertThat(directory.run(search("dc=one", Scope.BASE, ALL)).code()).isEqualTo(ResultCode.BUSY);
    assertThat(directory.run(search("dc=two", Scope.BASE, ALL)).code())
        .isEqualTo(ResultCode.LOOP_DETECT);
    assertThat(directory.run(search("dc=none", Scope.BASE, ALL)).code())
        .isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }

  @Test
  void shouldRefuseASecondExtensionThatAddsControlsToEntries() {
    Hooks adding =
        new Hooks() {
          @Override
          public EntryControls entryControls() {
            return (_, _, _) -> null;
          }
        };
    OperationFixture directory = new OperationFixture().store(List.of(), false);
    directory.extensions.add(Extension.of("one", Place.ANYWHERE, _ -> adding));
    directory.extensions.add(Extension.of("two", Place.ANYWHERE, _ -> adding));
    assertThatThrownBy(() -> directory.run(search("", Scope.BASE, ALL)))
        .hasMessage("the extensions one and two both add controls to entries");
  }
}
