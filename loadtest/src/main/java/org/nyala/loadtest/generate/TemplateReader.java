package org.nyala.loadtest.generate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.naming.InvalidNameException;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/**
 * A reader of templates of directories, in the language of {@code makeldif} (SLAMD, OpenDJ, Ping):
 * constants, branches, and templates of entries. Confined to one thread.
 */
public final class TemplateReader {
  /** The most levels of templates below a branch, and of {@code extends}. */
  static final int MOST_LEVELS = 100;

  private static final Pattern CONSTANT = Pattern.compile("(?<!\\\\)\\[([^\\[\\]]+)]");
  private static final Pattern LINE =
      Pattern.compile("([A-Za-z0-9][A-Za-z0-9;.-]*)(:<|::|:)[ \t]*(.*)", Pattern.DOTALL);
  private static final Pattern SITE = Pattern.compile("(.+?):\\s*([^:]*)");
  private static final String BUILT_IN = "default.template";

  private final String file;
  private final TagReader tags;
  private final Map<String, String> constants = new LinkedHashMap<>();
  private final Map<String, String> given;
  private final Map<String, Block> blocks = new LinkedHashMap<>();
  private final List<Block> branches = new ArrayList<>();
  private final Set<LdapName> names = new HashSet<>();
  private int templates;

  /** The lines of a template or branch, and what becomes of them. Confined to the reader. */
  private static final class Block {
    final EntryTemplate template;
    final List<Placed> body = new ArrayList<>();
    @Nullable LdapName dn;
    List<String> rdn = List.of();
    boolean isBegun;
    boolean isComplete;

    Block(EntryTemplate template) {
      this.template = template;
    }
  }

  /** A line of the file without constants. Immutable. */
  private record Placed(Place place, String text) {}

  private TemplateReader(String file, @Nullable Path folder, Map<String, String> given, long seed) {
    this.file = file;
    this.given = new LinkedHashMap<>();
    given.forEach((name, value) -> this.given.put(name.toLowerCase(Locale.ROOT), value));
    this.tags = new TagReader(new WordLists(folder), seed, this::template);
  }

  /**
   * Reads a file.
   *
   * @param file the template; null for the built-in one, which makes the people of a sample
   * @param constants values of constants, in the place of those that the file defines
   * @param seed the seed of the entries
   * @throws IllegalArgumentException if it is no template, with the line
   */
  public static DirectoryTemplate read(
      @Nullable Path file, Map<String, String> constants, long seed) throws IOException {
    if (file == null) {
      try (InputStream in =
          Objects.requireNonNull(TemplateReader.class.getResourceAsStream(BUILT_IN))) {
        List<String> lines = new String(in.readAllBytes(), UTF_8).lines().toList();
        return read("the built-in template", lines, null, constants, seed);
      }
    }
    try {
      Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
      return read(file.toString(), Files.readAllLines(file), folder, constants, seed);
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          file + " must be a template in UTF-8, but has other bytes", e);
    }
  }

  static DirectoryTemplate read(
      String name,
      List<String> lines,
      @Nullable Path folder,
      Map<String, String> constants,
      long seed)
      throws IOException {
    return new TemplateReader(name, folder, constants, seed).read(lines);
  }

  private DirectoryTemplate read(List<String> lines) throws IOException {
    splitIntoBlocks(lines);
    for (String constant : given.keySet()) {
      if (!constants.containsKey(constant)) {
        throw new IllegalArgumentException(
            file + " defines no constant " + constant + "; it has " + listed(constants.keySet()));
      }
    }
    if (branches.isEmpty()) {
      throw new IllegalArgumentException(
          file + " must have a branch, a line such as branch: dc=example,dc=com");
    }
    List<Block> all = new ArrayList<>(blocks.values());
    all.addAll(branches);
    for (Block block : all) {
      complete(block, 1);
    }
    nameEntries(all);
    for (Block block : all) {
      size(block.template, 0);
    }
    branches.sort(Comparator.comparingInt(block -> Objects.requireNonNull(block.dn).size()));
    DirectoryTemplate directory =
        new DirectoryTemplate(branches.stream().map(block -> block.template).toList(), templates);
    requireCount(directory.entries(), branches.getLast().template.place, "the template as a whole");
    tags.checkMembers(directory);
    return directory;
  }

  /** The template with a name; null if there is none. */
  private @Nullable EntryTemplate template(String name) {
    Block block = blocks.get(name.toLowerCase(Locale.ROOT));
    return block == null ? null : block.template;
  }

  private static String listed(Set<String> names) {
    return names.isEmpty() ? "none" : String.join(", ", new TreeSet<>(names));
  }

  private void splitIntoBlocks(List<String> lines) {
    Block open = null;
    for (int i = 0; i < lines.size(); i++) {
      Place place = new Place(file, i + 1);
      StringBuilder line = new StringBuilder(lines.get(i));
      while (i + 1 < lines.size() && continues(line, lines.get(i + 1))) {
        line.append(lines.get(++i).substring(1));
      }
      if (line.toString().isBlank()) {
        open = null;
        continue;
      }
      if (line.charAt(0) == '#') {
        continue;
      }
      Placed text = new Placed(place, substituted(line.toString()));
      if (open != null) {
        open.body.add(text);
      } else {
        open = begun(text);
      }
    }
  }

  private static boolean continues(StringBuilder line, String next) {
    return next.startsWith(" ")
        && !next.isBlank()
        && !line.toString().isBlank()
        && line.charAt(0) != '#';
  }

  /** Begins a block; null for a constant. */
  private @Nullable Block begun(Placed line) {
    String text = line.text;
    String lower = text.toLowerCase(Locale.ROOT);
    if (lower.startsWith("define ")) {
      define(line.place, text.substring("define ".length()));
      return null;
    }
    if (lower.startsWith("branch:")) {
      return branch(line.place, text.substring("branch:".length()).strip());
    }
    if (lower.startsWith("template:")) {
      String name = text.substring("template:".length()).strip();
      line.place.require(!name.isEmpty(), "a name behind template:", "nothing");
      Block block = new Block(new EntryTemplate(templates++, line.place, name, false));
      if (blocks.putIfAbsent(name.toLowerCase(Locale.ROOT), block) != null) {
        throw line.place.problem("there are two templates with the name " + name);
      }
      return block;
    }
    if (lower.startsWith("include ")) {
      throw line.place.problem("tags of own Java classes (include) are not supported");
    }
    throw line.place.refused("define NAME=VALUE, branch: DN or template: NAME", "'" + text + "'");
  }

  private void define(Place place, String text) {
    int equals = text.indexOf('=');
    String name = equals < 0 ? "" : text.substring(0, equals).strip().toLowerCase(Locale.ROOT);
    place.require(!name.isEmpty(), "define NAME=VALUE", "'define " + text + "'");
    String value = given.getOrDefault(name, text.substring(equals + 1));
    if (constants.putIfAbsent(name, value) != null) {
      throw place.problem("there are two constants with the name " + name);
    }
  }

  private Block branch(Place place, String text) {
    Block block = new Block(new EntryTemplate(templates++, place, text, true));
    LdapName dn = dn(place, text);
    if (!names.add(dn)) {
      throw place.problem("there are two branches with the name " + text);
    }
    block.dn = dn;
    branches.add(block);
    return block;
  }

  private static LdapName dn(Place place, String text) {
    try {
      LdapName dn = new LdapName(text);
      for (Rdn rdn : dn.getRdns()) {
        // Unescapes the values, which the constructor leaves.
        rdn.toAttributes();
      }
      if (!dn.isEmpty()) {
        return dn;
      }
    } catch (InvalidNameException | IllegalArgumentException _) {
      // refused below
    }
    throw place.refused("the name of an entry behind branch:", "'" + text + "'");
  }

  private String substituted(String line) {
    Matcher matcher = CONSTANT.matcher(line);
    return matcher.replaceAll(
        match -> {
          String value = constants.get(match.group(1).strip().toLowerCase(Locale.ROOT));
          return Matcher.quoteReplacement(value == null ? match.group() : value);
        });
  }

  /** Reads the lines of a block, those of the template that it extends first. */
  private void complete(Block block, int levels) throws IOException {
    EntryTemplate template = block.template;
    if (block.isComplete) {
      return;
    }
    if (block.isBegun) {
      throw template.place.problem("the template " + template.name + " extends itself");
    }
    if (levels > MOST_LEVELS) {
      throw template.place.problem("more than " + MOST_LEVELS + " templates extend each other");
    }
    block.isBegun = true;
    List<Placed> attributes = new ArrayList<>();
    for (Placed line : block.body) {
      String lower = line.text.toLowerCase(Locale.ROOT);
      String value = line.text.substring(line.text.indexOf(':') + 1).strip();
      if (lower.startsWith("subordinatetemplate:")) {
        addSite(template, line.place, value);
      } else if (lower.startsWith("extends:") && !template.isBranch) {
        extend(block, line.place, value, levels);
      } else if (lower.startsWith("rdnattr:") && !template.isBranch) {
        block.rdn = List.of(value.split("\\s*\\+\\s*", -1));
      } else {
        attributes.add(line);
      }
    }
    if (template.isBranch) {
      addImplied(block, attributes);
    }
    for (Placed line : attributes) {
      addLine(template, line);
    }
    block.isComplete = true;
  }

  private void extend(Block block, Place place, String name, int levels) throws IOException {
    Block other = blocks.get(name.toLowerCase(Locale.ROOT));
    if (other == null) {
      throw unknownTemplate(place, name);
    }
    complete(other, levels + 1);
    block.template.lines.addAll(other.template.lines);
    if (block.rdn.isEmpty()) {
      block.rdn = other.rdn;
    }
  }

  private IllegalArgumentException unknownTemplate(Place place, String name) {
    return place.problem(
        "there is no template '" + name + "'; the file has " + listed(blocks.keySet()));
  }

  private void addSite(EntryTemplate template, Place place, String text) {
    Matcher site = SITE.matcher(text);
    place.require(
        site.matches(),
        "a template and a number of entries, such as subordinateTemplate: person:100",
        "'" + text + "'");
    EntryTemplate below = template(site.group(1).strip());
    if (below == null) {
      throw unknownTemplate(place, site.group(1).strip());
    }
    long count =
        place.number(site.group(2), "a number of entries", 0, DirectoryTemplate.MOST_ENTRIES);
    long first =
        template.sites.stream()
            .filter(other -> other.template() == below)
            .mapToLong(EntryTemplate.Site::count)
            .sum();
    template.sites.add(new EntryTemplate.Site(place, below, count, first));
  }

  private void addLine(EntryTemplate template, Placed line) throws IOException {
    Matcher matcher = LINE.matcher(line.text);
    line.place.require(
        matcher.matches(), "a line such as cn: {givenName} {sn}", "'" + line.text + "'");
    Line.Form form =
        switch (matcher.group(2)) {
          case ":<" -> Line.Form.URL;
          case "::" -> Line.Form.BASE64;
          default -> Line.Form.PLAIN;
        };
    template.lines.add(tags.line(template, line.place, matcher.group(1), form, matcher.group(3)));
  }

  /** Adds what a branch says by its name alone: its object class and the values of its RDN. */
  private static void addImplied(Block branch, List<Placed> attributes) {
    EntryTemplate template = branch.template;
    LdapName dn = Objects.requireNonNull(branch.dn);
    try {
      var rdn = dn.getRdn(dn.size() - 1).toAttributes().getAll();
      while (rdn.hasMore()) {
        Attribute attribute = rdn.next();
        String name = attribute.getID();
        if (isMissing("objectClass", template, attributes)) {
          template.lines.add(Line.constant(template.place, "objectClass", "top"));
          template.lines.add(Line.constant(template.place, "objectClass", objectClass(name)));
        }
        if (isMissing(name, template, attributes)) {
          template.lines.add(Line.constant(template.place, name, String.valueOf(attribute.get())));
        }
      }
    } catch (NamingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isMissing(String name, EntryTemplate template, List<Placed> attributes) {
    String start = name.toLowerCase(Locale.ROOT) + ":";
    return template.linesOf(name, template.lines.size()).isEmpty()
        && attributes.stream()
            .noneMatch(line -> line.text.toLowerCase(Locale.ROOT).startsWith(start));
  }

  private static String objectClass(String attribute) {
    return switch (attribute.toLowerCase(Locale.ROOT)) {
      case "dc" -> "domain";
      case "o" -> "organization";
      case "ou" -> "organizationalUnit";
      case "c" -> "country";
      case "l", "st" -> "locality";
      case "cn" -> "organizationalRole";
      case "uid" -> "account";
      default -> "extensibleObject";
    };
  }

  /** Finds the names of entries, for templates that are not only extended by others. */
  private static void nameEntries(List<Block> all) {
    Set<EntryTemplate> used = new HashSet<>();
    all.forEach(block -> block.template.sites.forEach(site -> used.add(site.template())));
    all.stream()
        .filter(block -> used.contains(block.template))
        .forEach(block -> nameEntries(block));
  }

  private static void nameEntries(Block block) {
    EntryTemplate template = block.template;
    Place place = template.place;
    if (block.rdn.isEmpty()) {
      throw place.problem(template.title() + " must have a line such as rdnAttr: uid");
    }
    for (String attribute : block.rdn) {
      List<Integer> lines = template.linesOf(attribute, template.lines.size());
      if (lines.isEmpty()) {
        throw place.problem(
            template.title() + " must have a line for its rdnAttr '" + attribute + "'");
      }
      Line line = template.lines.get(lines.getFirst());
      if (!line.conditions().isEmpty() || line.form() != Line.Form.PLAIN) {
        throw line.place()
            .problem(
                attribute
                    + " names entries, so that every entry must have it, as text, without"
                    + " <presence>, <ifpresent> and <ifabsent>");
      }
      template.rdnLines.add(lines.getFirst());
    }
    template.namesVary = template.completeName();
  }

  /** Counts the entries of a subtree, and finds out that it is a tree. */
  private static long size(EntryTemplate template, int level) {
    if (template.size > 0) {
      return template.size;
    }
    if (template.size < 0) {
      throw template.place.problem(
          "entries of " + template.title() + " are below themselves (subordinateTemplate)");
    }
    requireLevels(level, template);
    template.size = -1;
    long sum = 1;
    for (EntryTemplate.Site site : template.sites) {
      long below = size(site.template(), level + 1);
      template.levels = Math.max(template.levels, 1 + site.template().levels);
      if (site.first() + site.count() > 1 && !site.template().namesVary) {
        throw site.place()
            .problem(
                "all entries of "
                    + site.template().title()
                    + " would have the same name: its rdnAttr needs <sequential> or the like");
      }
      sum += site.count() * below;
      requireCount(sum, site.place(), template.title());
    }
    requireLevels(template.levels, template);
    template.size = sum;
    return sum;
  }

  private static void requireLevels(int levels, EntryTemplate template) {
    if (levels > MOST_LEVELS) {
      throw template.place.problem("there are more than " + MOST_LEVELS + " levels of entries");
    }
  }

  private static void requireCount(long count, Place place, String what) {
    if (count > DirectoryTemplate.MOST_ENTRIES) {
      throw place.problem(
          what + " makes more entries than the " + DirectoryTemplate.MOST_ENTRIES + " possible");
    }
  }
}
