package org.nyala.netty.accept;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Set;

/**
 * A socket in the file system, to which only processes of this machine connect ({@code ldapi://}).
 *
 * <p>Immutable.
 *
 * @param path the file
 * @param permissions its permissions: whoever may write to it may connect
 * @param group its group; empty for that of the server
 * @param strengthBits the strength of encryption that it stands for, as nobody else can listen
 */
public record LocalSocket(
    Path path, Set<PosixFilePermission> permissions, String group, int strengthBits) {
  /** The strength that slapd takes such a socket for (slapd.conf(5), {@code localSSF}). */
  public static final int STRENGTH_BITS = 71;

  /** The bits of a file's mode that tell what it is, and those of a socket (inode(7)). */
  private static final int FILE_TYPE = 0xF000;

  private static final int SOCKET = 0xC000;

  /** A user who could open the lock could prevent a start. */
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** The beginning of its URL. */
  public static final String SCHEME = "ldapi://";

  public LocalSocket {
    permissions = Set.copyOf(permissions);
  }

  /** Returns the URL of a socket of this machine, as clients take it. */
  public static String url(String file) {
    return SCHEME + URLEncoder.encode(file, StandardCharsets.UTF_8).replace("+", "%20");
  }

  public static String file(String url) {
    String rest = url.substring(SCHEME.length());
    String file = URLDecoder.decode(rest.replace("+", "%2B"), StandardCharsets.UTF_8);
    return rest.startsWith("%") && rest.endsWith("/") ? file.substring(0, file.length() - 1) : file;
  }

  /**
   * Takes the path for this process, which has it until the lock is closed, and removes the file
   * that a killed server has left there.
   *
   * @return the lock: a file beside the socket
   * @throws IOException if another process listens there, or the file is not a socket
   */
  public FileChannel take() throws IOException {
    FileChannel lock =
        FileChannel.open(
            path.resolveSibling(path.getFileName() + ".lock"),
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
            OWNER_ONLY);
    try {
      if (!isLocked(lock)) {
        throw new IOException("cannot listen on " + path + ": another process does");
      }
      removeStale();
      return lock;
    } catch (IOException e) {
      lock.close();
      throw e;
    }
  }

  private static boolean isLocked(FileChannel lock) throws IOException {
    try {
      return lock.tryLock() != null;
    } catch (OverlappingFileLockException _) {
      return false;
    }
  }

  private void removeStale() throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    if ((mode & FILE_TYPE) != SOCKET) {
      throw new IOException("cannot listen on " + path + ": the file is not a socket");
    }
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      // If its queue is full, somebody listens all the same.
      channel.configureBlocking(false);
      boolean _ = channel.connect(UnixDomainSocketAddress.of(path));
    } catch (ConnectException _) {
      Files.delete(path);
      return;
    }
    throw new IOException("cannot listen on " + path + ": another process does");
  }

  /**
   * Sets the permissions and the group of the file.
   *
   * @throws IOException if the server may not
   */
  public void protect() throws IOException {
    PosixFileAttributeView view =
        Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    if (view == null) {
      throw new IOException("cannot listen on " + path + ": the file has no permissions");
    }
    if (!group.isEmpty()) {
      view.setGroup(principal());
    }
    Files.setPosixFilePermissions(path, permissions);
  }

  private GroupPrincipal principal() throws IOException {
    try {
      return path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName(group);
    } catch (UserPrincipalNotFoundException e) {
      throw new IOException("there is no group '" + group + "' (ldapi.group)", e);
    }
  }

  /** Removes the file, if it is there. */
  public void remove() {
    try {
      boolean _ = Files.deleteIfExists(path);
    } catch (IOException e) {
      System.getLogger(LocalSocket.class.getName())
          .log(System.Logger.Level.WARNING, "cannot delete " + path + ": " + e.getMessage());
    }
  }
}
