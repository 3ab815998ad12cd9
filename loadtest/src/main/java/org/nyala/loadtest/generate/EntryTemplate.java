package org.nyala.loadtest.generate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A template of entries, or a branch, which is one entry with a name of its own. Filled by {@link
 * TemplateReader}, and unchanged from then on.
 */
final class EntryTemplate {
  /** The number of the template among all. */
  final int id;

  final Place place;
  final String name;
  final boolean isBranch;
  final List<Line> lines = new ArrayList<>();
  final List<Site> sites = new ArrayList<>();

  /** The lines whose values are in the name, in the order of the name. */
  final List<Integer> rdnLines = new ArrayList<>();

  /** The lines that are made for the name, in their order. */
  private int[] nameLines = {};

  /** The number of entries of a subtree; 0 until it is counted. */
  long size;

  /** The number of levels of entries below. */
  int levels;

  /** True if the names of entries with one parent can differ. */
  boolean namesVary;

  EntryTemplate(int id, Place place, String name, boolean isBranch) {
    this.id = id;
    this.place = place;
    this.name = name;
    this.isBranch = isBranch;
  }

  /**
   * Entries of a template below each entry of another one. Immutable.
   *
   * @param count their number
   * @param first the number of those of the same template that precede them below the same entry
   */
  record Site(Place place, EntryTemplate template, long count, long first) {}

  /** The template or branch as an error names it. */
  String title() {
    return (isBranch ? "the branch " : "the template ") + name;
  }

  /** The lines of an attribute among the first so many. */
  List<Integer> linesOf(String attribute, int before) {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < before; i++) {
      if (lines.get(i).isOf(attribute)) {
        found.add(i);
      }
    }
    return found;
  }

  int[] nameLines() {
    return nameLines;
  }

  /** Finds the lines that the name depends on, and whether names differ from entry to entry. */
  boolean completeName() {
    Map<Integer, Boolean> needed = new TreeMap<>();
    boolean varies = false;
    for (int line : rdnLines) {
      varies |= need(line, needed);
    }
    nameLines = needed.keySet().stream().mapToInt(Integer::intValue).toArray();
    return varies;
  }

  /** Finds the same for a line, each once. */
  private boolean need(int number, Map<Integer, Boolean> needed) {
    Boolean known = needed.get(number);
    if (known != null) {
      return known;
    }
    Line line = lines.get(number);
    boolean varies = false;
    for (Tag tag : line.tags()) {
      for (Tag part : tag.parts()) {
        if (!part.isAllowedInNames()) {
          throw line.place()
              .problem(
                  "the name of an entry of "
                      + title()
                      + " depends on "
                      + line.attribute()
                      + ", which therefore cannot have <dn>, <_dn>, <rdn>, <loop> or <member>");
        }
        if (part instanceof Tag.Reference reference) {
          for (int other : reference.lines()) {
            varies |= need(other, needed);
          }
        } else {
          varies |= part.varies();
        }
      }
    }
    for (Line.Condition condition : line.conditions()) {
      if (condition instanceof Line.Condition.Having having) {
        having.lines().forEach(other -> need(other, needed));
      }
    }
    needed.put(number, varies);
    return varies;
  }
}
