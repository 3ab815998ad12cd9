package org.nyala.doctor;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.nyala.error.ErrorMessages;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.FindingsMXBean.Weight;

/**
 * The findings of an examination by their areas, of which each has a bounded number.
 *
 * <p>Confined to one thread.
 */
public final class FindingList {
  /** The most findings of an area that are listed. */
  public static final int MOST = 20;

  private static final Comparator<Finding> HEAVIEST_FIRST =
      Comparator.comparing(Finding::weight).reversed();

  private final Map<String, List<Finding>> areas = new LinkedHashMap<>();

  /** Notes that an area was looked at. */
  void looked(String area) {
    areas.computeIfAbsent(area, _ -> new ArrayList<>());
  }

  /** Adds a finding, whose texts may have values of clients. */
  public void add(Weight weight, String area, String sentence, String command) {
    areas
        .computeIfAbsent(area, _ -> new ArrayList<>())
        .add(
            new Finding(
                weight, area, ErrorMessages.printable(sentence), ErrorMessages.printable(command)));
  }

  /** Adds findings, whose texts may have values of clients. */
  public void addAll(Collection<Finding> findings) {
    findings.forEach(each -> add(each.weight(), each.area(), each.sentence(), each.command()));
  }

  /** Returns whether an area has findings. */
  boolean has(String area) {
    return !areas.getOrDefault(area, List.of()).isEmpty();
  }

  /** Returns the findings of all areas, the heaviest first; an area without any is well. */
  public List<Finding> all() {
    List<Finding> all = new ArrayList<>();
    areas.forEach(
        (area, findings) -> {
          List<Finding> sorted = findings.stream().sorted(HEAVIEST_FIRST).toList();
          all.addAll(sorted.subList(0, Math.min(MOST, sorted.size())));
          if (sorted.size() > MOST) {
            all.add(
                new Finding(
                    sorted.get(MOST).weight(),
                    area,
                    "and " + (sorted.size() - MOST) + " more",
                    ""));
          }
          if (sorted.isEmpty()) {
            all.add(new Finding(Weight.OK, area, "nothing found", ""));
          }
        });
    all.sort(HEAVIEST_FIRST);
    return all;
  }
}
