package org.nyala.lmdb.admin;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Env;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;
import org.nyala.lmdb.admin.DataPages.Page;
import org.nyala.lmdb.admin.DataPages.Tree;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.StoreMeta;

/**
 * Checks the pages that a snapshot of a data file uses, without LMDB, which trusts them: a page
 * with a wrong reference makes LMDB read or write elsewhere, or ends the process. Each used page
 * must be laid out correctly, be reached once and have its keys in order and within the bounds set
 * by the pages above; each other page must be in the list of free pages, once.
 *
 * <p>Confined to one running operation. Takes a bit of memory for each page, and as much time as
 * reading the file.
 */
final class PageCheck {
  /** The depth beyond which an LMDB cursor does not go. */
  private static final int DEEPEST = 32;

  /** LMDB's flag of a tree whose keys are numbers, as in the tree of free pages. */
  private static final int NUMBER_KEYS = 8;

  private static final Set<String> DATABASES = Set.copyOf(LmdbEnvironment.DATABASES);

  /** Commits may come faster than a look at the file. */
  private static final int LOOKS = 20;

  private static final int PAGES_OF_A_SET_BITS = 24;

  private final DataPages pages;
  private final PageLayout layout;
  private final int maximumProblems;
  private final List<String> problems = new ArrayList<>();

  /** True if there is a database of another format; its pages are not known. */
  private boolean hasOtherDatabase;

  /** Used or free pages, a fixed number of them per bit set. */
  private final List<BitSet> taken = new ArrayList<>();

  /** The kind of values that a tree has. */
  private enum Part {
    FREE_PAGES,
    DATABASES,
    VALUES
  }

  /** A key in its page, or a bound. Not copied. */
  private record Key(byte[] page, int at, int length) {
    static Key of(Page page, int index) {
      return new Key(page.bytes().array(), page.keyAt(index), page.keyLength(index));
    }

    int compareTo(Key other, boolean isNumber) {
      return isNumber
          ? Long.compareUnsigned(number(), other.number())
          : Arrays.compareUnsigned(
              page, at, at + length, other.page, other.at, other.at + other.length);
    }

    long number() {
      return ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN).getLong(at);
    }
  }

  /** The pages and entries counted below a root. */
  private static final class Walk {
    private final Part part;
    private final String name;
    private final Tree tree;
    private long branchPages;
    private long leafPages;
    private long overflowPages;
    private long entries;

    Walk(Part part, String name, Tree tree) {
      this.part = part;
      this.name = name;
      this.tree = tree;
    }

    boolean hasNumberKeys() {
      return part == Part.FREE_PAGES;
    }
  }

  private PageCheck(DataPages pages, int maximumProblems) {
    this.pages = pages;
    this.layout = new PageLayout(pages.pageBytes());
    this.maximumProblems = maximumProblems;
  }

  /**
   * Checks a data directory; a server may be running on it. LMDB reads nothing but the first two
   * pages.
   *
   * @param maximumProblems the number of problems to report at most
   * @return the problems, one line each
   * @throws StoreException if the file cannot be read, or has another format, whose databases are
   *     not known
   */
  static List<String> problems(Path directory, int maximumProblems) {
    try {
      String head = DataPages.headProblem(directory);
      if (head != null) {
        return List.of("data.mdb: " + head);
      }
      PageCheck check;
      try (Env<ByteBuffer> env = LmdbEnvironment.openBare(directory)) {
        check = checked(directory, env, maximumProblems);
      }
      if (check.hasOtherDatabase && check.problems.isEmpty()) {
        requireFormat(directory);
        return List.of("data.mdb: has a database that a store does not have");
      }
      return check.problems;
    } catch (IOException | LmdbException e) {
      throw new StoreException(
          "cannot check the pages of " + directory + ": " + FileFailures.reason(e), e);
    }
  }

  /* The pages of the databases that this reads are in order. */
  private static void requireFormat(Path directory) {
    LmdbSettings settings = LmdbSettings.DEFAULT.asReadOnly();
    try (LmdbEnvironment environment = LmdbEnvironment.open(directory, settings);
        Txn<ByteBuffer> txn = environment.beginRead()) {
      String _ = StoreMeta.format(environment, txn);
    }
  }

  private static PageCheck checked(Path directory, Env<ByteBuffer> env, int maximumProblems)
      throws IOException {
    int pageBytes = env.stat().pageSize;
    for (int i = 0; i < LOOKS; i++) {
      try (Txn<ByteBuffer> txn = env.txnRead();
          DataPages pages = DataPages.of(directory, pageBytes, txn.getId())) {
        if (pages != null) {
          PageCheck check = new PageCheck(pages, maximumProblems);
          check.run();
          return check;
        }
      }
    }
    throw new IOException("commits come too fast");
  }

  private void run() throws IOException {
    boolean _ = mark(0) && mark(1);
    walk(Part.DATABASES, "the databases", pages.main());
    walk(Part.FREE_PAGES, "the free pages", pages.free());
    // Pages below a damaged one were not visited, and would be reported as lost.
    long lost = pages.total() - taken.stream().mapToLong(BitSet::cardinality).sum();
    if (problems.isEmpty() && lost != 0 && !hasOtherDatabase) {
      report("data.mdb: " + lost + " pages are neither used nor free");
    }
  }

  private void report(String problem) {
    if (problems.size() < maximumProblems) {
      problems.add(problem);
    }
  }

  private void report(Walk walk, long page, String problem) {
    report("data.mdb, page " + page + " of " + walk.name + ": " + problem);
  }

  private void walk(Part part, String name, Tree tree) throws IOException {
    boolean isEmpty = tree.root() == DataPages.NO_PAGE;
    boolean isTree =
        tree.pad() == (part == Part.FREE_PAGES ? pages.pageBytes() : 0)
            && tree.flags() == (part == Part.FREE_PAGES ? NUMBER_KEYS : 0)
            && tree.depth() <= DEEPEST
            && isEmpty == (tree.depth() == 0);
    if (!isTree) {
      report("data.mdb: the reference to " + name + " is damaged");
      return;
    }
    Walk walk = new Walk(part, name, tree);
    if (!isEmpty) {
      visit(walk, tree.root(), 1, null, null);
    }
    boolean isCounted =
        walk.branchPages == tree.branchPages()
            && walk.leafPages == tree.leafPages()
            && walk.overflowPages == tree.overflowPages()
            && walk.entries == tree.entries();
    if (!isCounted && problems.isEmpty()) {
      report("data.mdb: " + name + " has numbers of pages and keys other than those recorded");
    }
  }

  /**
   * Checks a page and those below it.
   *
   * @param from the least key that may occur; null if there is no bound
   * @param to the least key that may not occur any more
   */
  private void visit(Walk walk, long number, int level, @Nullable Key from, @Nullable Key to)
      throws IOException {
    if (!take(walk, number, 1)) {
      return;
    }
    boolean isLeaf = level == walk.tree.depth();
    Page page;
    try {
      page = pages.page(number);
    } catch (EOFException e) {
      report(walk, number, "the file ends before it");
      return;
    }
    String problem = layout.problem(page, number, isLeaf ? Page.LEAF : Page.BRANCH);
    if (problem == null && !isInOrder(walk, page, isLeaf, from, to)) {
      problem = "has keys out of order";
    }
    if (problem != null) {
      report(walk, number, problem);
    } else if (isLeaf) {
      visitLeaf(walk, page);
    } else {
      walk.branchPages++;
      for (int i = 0; i < page.size(); i++) {
        Key first = i == 0 ? from : Key.of(page, i);
        visit(
            walk, page.child(i), level + 1, first, i + 1 < page.size() ? Key.of(page, i + 1) : to);
      }
    }
  }

  /**
   * Marks consecutive pages; returns false if they cannot have the use that is claimed for them.
   */
  private boolean take(Walk walk, long first, long count) {
    if (first < 2 || count < 1 || first > pages.total() - count) {
      report(walk, first, "there is no such page");
      return false;
    }
    for (long page = first; page < first + count; page++) {
      if (!mark(page)) {
        report(walk, page, "is used twice, or free as well");
        return false;
      }
    }
    return true;
  }

  private boolean mark(long page) {
    int set = (int) (page >>> PAGES_OF_A_SET_BITS);
    int place = (int) page & (1 << PAGES_OF_A_SET_BITS) - 1;
    while (taken.size() <= set) {
      taken.add(new BitSet());
    }
    boolean isNew = !taken.get(set).get(place);
    taken.get(set).set(place);
    return isNew;
  }

  /** The first key of a branch is never looked at. */
  private static boolean isInOrder(
      Walk walk, Page page, boolean isLeaf, @Nullable Key from, @Nullable Key to) {
    Key before = from;
    boolean mayBeSame = true;
    for (int i = isLeaf ? 0 : 1; i < page.size(); i++) {
      Key key = Key.of(page, i);
      if (walk.hasNumberKeys() && key.length() != Long.BYTES) {
        return false;
      }
      int order = before == null ? 1 : key.compareTo(before, walk.hasNumberKeys());
      if (order < 0 || order == 0 && !mayBeSame) {
        return false;
      }
      mayBeSame = false;
      before = key;
    }
    return to == null || before == null || before.compareTo(to, walk.hasNumberKeys()) < 0;
  }

  private void visitLeaf(Walk walk, Page leaf) throws IOException {
    walk.leafPages++;
    walk.entries += leaf.size();
    int kind = walk.part == Part.DATABASES ? Page.IS_TREE : 0;
    for (int i = 0; i < leaf.size(); i++) {
      if ((leaf.nodeFlags(i) & ~Page.IS_ELSEWHERE) != kind) {
        report(walk, leaf.number(), "has a value of another kind");
      } else if (!leaf.isValueElsewhere(i) || visitOverflow(walk, leaf, i)) {
        visitValue(walk, leaf, i);
      }
    }
  }

  private void visitValue(Walk walk, Page leaf, int index) throws IOException {
    switch (walk.part) {
      case FREE_PAGES -> takeFree(walk, leaf, index);
      case DATABASES -> visitDatabase(walk, leaf, index);
      case VALUES -> {
        // The code that reads the value checks it.
      }
    }
  }

  /** Reads the pages that one value has for itself; false if they cannot be read. */
  private boolean visitOverflow(Walk walk, Page leaf, int index) throws IOException {
    long first = leaf.bytes().getLong(leaf.valueAt(index));
    long length = Integer.toUnsignedLong(leaf.valueLength(index));
    long needed = (DataPages.HEADER_LENGTH + length - 1) / pages.pageBytes() + 1;
    if (!isInFile(first, needed) || length > Integer.MAX_VALUE) {
      report(walk, leaf.number(), "leads to page " + first + ", where there is no such value");
      return false;
    }
    Page page = pages.page(first);
    // A value that has become shorter keeps its pages.
    boolean isFirst =
        page.number() == first
            && page.flags() == Page.OVERFLOW
            && page.overflowPages() >= needed
            && isInFile(first, page.overflowPages());
    if (!isFirst) {
      report(walk, first, "is not the first of a value's own pages");
      return false;
    }
    walk.overflowPages += page.overflowPages();
    return take(walk, first, page.overflowPages());
  }

  private boolean isInFile(long first, long count) throws IOException {
    long all = Math.min(pages.total(), pages.fileBytes() / pages.pageBytes());
    return first >= 2 && first <= all - count;
  }

  private void visitDatabase(Walk walk, Page leaf, int index) throws IOException {
    byte[] bytes = new byte[leaf.keyLength(index)];
    leaf.bytes().get(leaf.keyAt(index), bytes);
    String name = new String(bytes, StandardCharsets.US_ASCII);
    if (leaf.isValueElsewhere(index) || leaf.valueLength(index) != Tree.LENGTH) {
      report(walk, leaf.number(), "has a database that a store does not have");
      return;
    }
    if (!DATABASES.contains(name)) {
      hasOtherDatabase = true;
      return;
    }
    walk(Part.VALUES, name, Tree.at(leaf.bytes(), leaf.valueAt(index)));
  }

  /** Takes the pages that a transaction has freed: their number, then the page numbers, falling. */
  private void takeFree(Walk walk, Page leaf, int index) throws IOException {
    ByteBuffer list = pages.value(leaf, index);
    long count = list.remaining() < Long.BYTES ? -1 : list.getLong(0);
    long transaction = Key.of(leaf, index).number();
    boolean isList = count >= 0 && count <= list.remaining() / Long.BYTES - 1;
    if (!isList || transaction < 1 || transaction > pages.transaction()) {
      report(
          walk,
          leaf.number(),
          "lacks the list of pages that transaction " + transaction + " has freed");
      return;
    }
    long before = Long.MAX_VALUE;
    for (int i = 1; i <= count; i++) {
      long page = list.getLong(i * Long.BYTES);
      if (page >= before) {
        report(walk, leaf.number(), "has a list out of order");
        return;
      }
      before = page;
      if (!take(walk, page, 1)) {
        return;
      }
    }
  }

  /**
   * Checks whether the nodes of a page are placed as LMDB places them: side by side up to the end
   * of the page. LMDB itself does not check this, and reads beyond the page if they are not.
   *
   * <p>Confined to one running operation.
   */
  private static final class PageLayout {
    /** The length of a node is a multiple of this many bytes. */
    private static final int STEP = 2;

    private final int pageBytes;
    private int[] places = new int[64];

    PageLayout(int pageBytes) {
      this.pageBytes = pageBytes;
    }

    /**
     * Returns the fault in a page, or null.
     *
     * @param number the page's position in the file
     * @param kind the expected kind: the flag of a branch, or of a leaf
     */
    @Nullable String problem(Page page, long number, int kind) {
      if (page.number() != number) {
        return "is numbered as page " + page.number();
      }
      if (page.flags() != kind) {
        return "has the flags " + page.flags() + ", not " + kind;
      }
      boolean hasNodes =
          page.lower() > DataPages.HEADER_LENGTH
              && page.lower() % STEP == 0
              && page.lower() <= page.upper()
              && page.upper() <= pageBytes;
      if (!hasNodes) {
        return "has slots for nodes up to " + page.lower() + ", and nodes from " + page.upper();
      }
      return areSideBySide(page, kind == Page.LEAF) ? null : "has nodes that are not adjacent";
    }

    private boolean areSideBySide(Page page, boolean isLeaf) {
      int count = page.size();
      if (places.length < count) {
        places = new int[2 * count];
      }
      for (int i = 0; i < count; i++) {
        int at = page.node(i);
        if (at < page.upper() || at + Page.NODE_LENGTH > pageBytes) {
          return false;
        }
        places[i] = at << Short.SIZE | i;
      }
      Arrays.sort(places, 0, count);
      long end = page.upper();
      for (int i = 0; i < count; i++) {
        if (places[i] >>> Short.SIZE != end) {
          return false;
        }
        end += length(page, places[i] & 0xffff, isLeaf);
        if (end > pageBytes) {
          return false;
        }
      }
      return end == pageBytes;
    }

    /** Returns the number of bytes that a node takes in its page, padding included. */
    private static long length(Page page, int index, boolean isLeaf) {
      long value = 0;
      if (isLeaf) {
        value =
            page.isValueElsewhere(index)
                ? Long.BYTES
                : Integer.toUnsignedLong(page.valueLength(index));
      }
      long length = Page.NODE_LENGTH + page.keyLength(index) + value;
      return length + length % STEP;
    }
  }
}
