package org.nyala.migrate;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.core.ldif.LdifInput;

/**
 * The numbers of servers in {@code contextCSN}, at the top of what slapcat writes, compressed or
 * not. Stateless.
 */
public final class ServerNumbers {
  /** The part of a file that has its first entry. */
  private static final int TOP_BYTES = 1 << 20;

  private static final int HEXADECIMAL = 16;
  private static final Pattern NUMBER =
      Pattern.compile("(?m)^contextCSN: [0-9.]+Z#[0-9a-f]{6}#([0-9a-f]{3})#");

  private ServerNumbers() {}

  /**
   * Returns the numbers.
   *
   * @throws IOException if a file cannot be read or unpacked
   */
  public static Set<Integer> of(List<Path> ldif) throws IOException {
    Set<Integer> numbers = new HashSet<>();
    for (Path file : ldif) {
      try (InputStream in = LdifInput.open(Files.newInputStream(file))) {
        Matcher found = NUMBER.matcher(new String(in.readNBytes(TOP_BYTES), ISO_8859_1));
        while (found.find()) {
          numbers.add(Integer.parseInt(found.group(1), HEXADECIMAL));
        }
      }
    }
    return numbers;
  }
}
