package org.nyala.loadtest.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.PatternRequest;
import org.nyala.loadtest.ldap.Placeholder;

/**
 * A text with placeholders, read once by {@link PatternReader}. Immutable. Hot: {@link #write}.
 *
 * @param parts literal texts and placeholders in their order
 */
public record TextPattern(List<Part> parts) implements Placeholder {
  /** A literal text, or a placeholder. */
  sealed interface Part {}

  record Literal(String text) implements Part {}

  record Inserted(Source source) implements Part {}

  public TextPattern {
    parts = List.copyOf(parts);
  }

  /** A text without placeholders. */
  public static TextPattern of(String text) {
    return new TextPattern(text.isEmpty() ? List.of() : List.of(new Literal(text)));
  }

  /** Returns whether there are no placeholders. */
  public boolean isConstant() {
    return parts.stream().allMatch(Literal.class::isInstance);
  }

  /** The text with a character in the place of each placeholder. */
  public String marked(PatternRequest.Placeholders placeholders) {
    StringBuilder out = new StringBuilder();
    for (Part part : parts) {
      switch (part) {
        case Literal literal -> out.append(literal.text);
        case Inserted inserted -> out.append(placeholders.mark(inserted.source));
      }
    }
    return out.toString();
  }

  @Override
  public void write(ByteBuf target, int person, long operation) {
    for (int i = 0; i < parts.size(); i++) {
      switch (parts.get(i)) {
        case Literal literal -> target.writeCharSequence(literal.text, UTF_8);
        case Inserted inserted -> inserted.source.write(target, person, operation);
      }
    }
  }

  /** The text for a person. */
  public String text(int person) {
    ByteBuf out = Unpooled.buffer();
    write(out, person, 0);
    return out.toString(UTF_8);
  }

  /** The name of an entry below a parent, whose RDN has this text as the value. */
  public TextPattern escapedBelow(String attribute, String parent) {
    List<Part> all = new ArrayList<>();
    all.add(new Literal(attribute + "="));
    for (Part part : parts) {
      all.add(
          switch (part) {
            case Literal literal -> literal;
            case Inserted inserted -> new Inserted(inserted.source.escaped());
          });
    }
    all.add(new Literal("," + parent));
    return new TextPattern(all);
  }

  /** Returns whether the text depends on the person alone. */
  public boolean isOfPerson() {
    return parts.stream()
        .allMatch(part -> !(part instanceof Inserted inserted) || inserted.source.isOfPerson());
  }

  /** The same name, with the values of placeholders in its RDNs escaped. */
  public TextPattern escaped() {
    List<Part> all = new ArrayList<>();
    String before = "";
    for (Part part : parts) {
      switch (part) {
        case Literal literal -> {
          before += literal.text;
          all.add(part);
        }
        case Inserted inserted -> {
          // A placeholder at the beginning of an RDN is an RDN, or a whole name.
          boolean isValue = before.lastIndexOf('=') > before.lastIndexOf(',');
          all.add(isValue ? new Inserted(inserted.source.escaped()) : part);
        }
      }
    }
    return new TextPattern(all);
  }

  /** The only placeholder, if it has a list of texts and there is nothing else. */
  private Source.@Nullable Texts onlyTexts() {
    return parts.size() == 1
            && parts.getFirst() instanceof Inserted inserted
            && inserted.source instanceof Source.Texts texts
        ? texts
        : null;
  }

  /**
   * The bytes that a request has for the text.
   *
   * @param bytes the bytes of each text
   * @param areElements true if they are whole elements
   * @return null if it has placeholders beside text, or without a list
   */
  public @Nullable Placeholder mapped(Function<String, byte[]> bytes, boolean areElements) {
    Source.Texts texts = onlyTexts();
    return texts == null ? null : texts.mapped(bytes, areElements);
  }

  /** The first RDN of this name. */
  public TextPattern rdn() {
    Source.Texts names = onlyTexts();
    if (names != null) {
      return new TextPattern(
          List.of(
              new Inserted(
                  names.mapped(
                      n -> n.substring(0, Source.Distinguished.rdnEnd(n)).getBytes(UTF_8),
                      false))));
    }
    return split(true);
  }

  /** The name of the parent of this name, with the comma before it. */
  public TextPattern parent() {
    Source.Texts names = onlyTexts();
    if (names != null) {
      return new TextPattern(
          List.of(
              new Inserted(
                  names.mapped(
                      n -> n.substring(Source.Distinguished.rdnEnd(n)).getBytes(UTF_8), false))));
    }
    return split(false);
  }

  private TextPattern split(boolean wantsHead) {
    List<Part> head = new ArrayList<>();
    List<Part> tail = new ArrayList<>();
    boolean isHead = true;
    for (Part part : parts) {
      if (isHead && part instanceof Literal literal) {
        int end = Source.Distinguished.rdnEnd(literal.text);
        isHead = end == literal.text.length();
        if (end > 0) {
          head.add(new Literal(literal.text.substring(0, end)));
        }
        if (!isHead) {
          tail.add(new Literal(literal.text.substring(end)));
        }
      } else {
        (isHead ? head : tail).add(part);
      }
    }
    return new TextPattern(wantsHead ? head : tail);
  }

  /** The attribute of the first RDN of this name; {@code otherwise} if it is not in the text. */
  public String rdnAttribute(String otherwise) {
    String rdn = rdn().text(0);
    int equals = rdn.indexOf('=');
    return equals > 0 ? rdn.substring(0, equals).strip() : otherwise;
  }

  /** The value of the first RDN of this name, as it is searched for. */
  public TextPattern rdnValue() {
    Source.Texts names = onlyTexts();
    if (names != null) {
      return new TextPattern(
          List.of(
              new Inserted(
                  names.mapped(n -> Source.Distinguished.value(n).getBytes(UTF_8), false))));
    }
    List<Part> value = new ArrayList<>();
    boolean isValue = false;
    for (Part part : rdn().parts) {
      if (!isValue && part instanceof Literal literal && literal.text.indexOf('=') >= 0) {
        isValue = true;
        value.add(new Literal(literal.text.substring(literal.text.indexOf('=') + 1)));
      } else if (isValue) {
        value.add(part);
      }
    }
    return new TextPattern(value);
  }
}
