package org.nyala.core.access.rule;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The statements of a file of access rules; names of zones and people are resolved in all that use
 * them.
 *
 * <p>Immutable.
 *
 * @param zones the zones, each before those that contain it
 * @param people the named people, each before those that contain it
 * @param steps the rules and delegations, in the order in which they are asked
 * @param limits the limits, in the order in which they are asked: the first that fits counts
 */
public record AccessRules(
    List<Zone> zones, List<People> people, List<Step> steps, List<LimitStatement> limits) {
  /** No statement at all: nothing is allowed. */
  public static final AccessRules NONE =
      new AccessRules(List.of(), List.of(), List.of(), List.of());

  /**
   * Copies the lists.
   *
   * @throws IllegalArgumentException if one name is declared twice
   */
  public AccessRules {
    zones = List.copyOf(zones);
    people = List.copyOf(people);
    steps = List.copyOf(steps);
    limits = List.copyOf(limits);
    Set<String> names = new HashSet<>();
    for (Zone zone : zones) {
      declare(zone.name(), names);
    }
    for (People each : people) {
      declare(each.name(), names);
    }
  }

  private static void declare(String name, Set<String> names) {
    if (!names.add(name)) {
      throw new IllegalArgumentException("'" + name + "' is declared twice");
    }
  }
}
