package org.nyala.loadtest.generate;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A tree of entries as a template describes it: branches in their order, and how many entries of
 * each template are below what. Every entry can be found by its number, without the others.
 * Confined to one thread.
 */
public final class DirectoryTemplate {
  /** The most entries of a file. */
  public static final long MOST_ENTRIES = Integer.MAX_VALUE;

  private final List<EntryTemplate> branches;
  private final int templates;

  /** The positions of the branches, and behind them the number of all entries. */
  private final long[] starts;

  private final Map<EntryTemplate, Occurrences> occurrences = new HashMap<>();

  /**
   * The numbers of entries of a template. Immutable.
   *
   * @param within in the subtree of one entry of each template, by its number
   * @param before in all branches before each; the last number is that of the whole file
   */
  @SuppressWarnings("ArrayRecordComponent")
  private record Occurrences(long[] within, long[] before) {}

  /**
   * Takes templates whose sizes are known.
   *
   * @param branches the branches, parents before children
   * @param templates the number of templates and branches
   */
  DirectoryTemplate(List<EntryTemplate> branches, int templates) {
    this.branches = List.copyOf(branches);
    this.templates = templates;
    this.starts = new long[branches.size() + 1];
    for (int i = 0; i < branches.size(); i++) {
      starts[i + 1] = starts[i] + branches.get(i).size;
    }
  }

  List<EntryTemplate> branches() {
    return branches;
  }

  int templates() {
    return templates;
  }

  /** The number of entries of the file. */
  public long entries() {
    return starts[branches.size()];
  }

  /** The number of entries of a template in the file. */
  long entriesOf(EntryTemplate template) {
    long[] before = occurrences(template).before;
    return before[before.length - 1];
  }

  private Occurrences occurrences(EntryTemplate template) {
    return occurrences.computeIfAbsent(template, this::counted);
  }

  private Occurrences counted(EntryTemplate template) {
    long[] within = new long[templates];
    Arrays.fill(within, -1);
    long[] before = new long[branches.size() + 1];
    for (int i = 0; i < branches.size(); i++) {
      before[i + 1] = before[i] + within(branches.get(i), template, within);
    }
    return new Occurrences(within, before);
  }

  private static long within(EntryTemplate above, EntryTemplate template, long[] known) {
    if (known[above.id] < 0) {
      long count = above == template ? 1 : 0;
      for (EntryTemplate.Site site : above.sites) {
        count += site.count() == 0 ? 0 : site.count() * within(site.template(), template, known);
      }
      known[above.id] = count;
    }
    return known[above.id];
  }

  /** The number of an entry among all of its template, from 0 up. */
  long ordinal(Frame entry) {
    return before(entry, entry.template());
  }

  /** The number of entries of a template that precede an entry. */
  private long before(Frame entry, EntryTemplate template) {
    Occurrences known = occurrences(template);
    Frame parent = entry.parent();
    if (parent == null) {
      return known.before[entry.site()];
    }
    long count = before(parent, template) + (parent.template() == template ? 1 : 0);
    List<EntryTemplate.Site> sites = parent.template().sites;
    for (int i = 0; i < entry.site(); i++) {
      count += sites.get(i).count() * Math.max(0, known.within[sites.get(i).template().id]);
    }
    EntryTemplate.Site site = sites.get(entry.site());
    return count + (entry.index() - site.first()) * Math.max(0, known.within[site.template().id]);
  }

  /**
   * Finds an entry by its number among all of its template, and the entries above it.
   *
   * @param path takes the way from the branch down
   */
  void find(EntryTemplate template, long ordinal, Path path) {
    Occurrences known = occurrences(template);
    int branch = Arrays.binarySearch(known.before, ordinal + 1);
    branch = (branch < 0 ? -branch - 1 : branch) - 1;
    while (known.before[branch] > ordinal) {
      branch--;
    }
    long rest = ordinal - known.before[branch];
    long position = starts[branch];
    EntryTemplate at = branches.get(branch);
    path.step(at, branch, 0, position);
    while (at != template || rest > 0) {
      rest -= at == template ? 1 : 0;
      position++;
      int number = 0;
      EntryTemplate.Site site = at.sites.get(number);
      while (rest >= site.count() * Math.max(0, known.within[site.template().id])) {
        rest -= site.count() * Math.max(0, known.within[site.template().id]);
        position += site.count() * site.template().size;
        site = at.sites.get(++number);
      }
      long each = known.within[site.template().id];
      long index = rest / each;
      rest %= each;
      position += index * site.template().size;
      at = site.template();
      path.step(at, number, site.first() + index, position);
    }
  }

  /** Takes the way to an entry, each step as {@link Frame#begin} has it. */
  @FunctionalInterface
  interface Path {
    void step(EntryTemplate template, int site, long index, long position);
  }
}
