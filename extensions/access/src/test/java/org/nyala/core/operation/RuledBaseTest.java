package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.UpdateFixture.rename;

import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.update.RuledDirectory;
import org.nyala.core.session.OperationFixture;

/** Tests that the rights to the base of a search, once found, last until the store changes. */
class RuledBaseTest {
  private static final long SEED = Seeds.seed();
  private static final int ADD = 0;
  private static final int DELETE = 1;
  private static final String BASE = "ou=base," + PEOPLE;
  private static final String OTHER = "ou=other," + PEOPLE;

  private final RuledDirectory ruled = new RuledDirectory();

  @AfterEach
  void close() {
    ruled.close();
  }

  private ResultCode search(String base) {
    FilterNode any = new FilterNode.Present("objectClass");
    return ruled.code(ANN, OperationFixture.search(base, Scope.BASE, any));
  }

  @Test
  void shouldFollowTheClassesOfTheBase() {
    ruled.rules(
        "to subtree \"" + PEOPLE + "\" where (objectClass=labeledURIObject)\n  users may read",
        "to subtree \"" + PEOPLE + "\"\n  users may disclose");
    Random random = new Random(SEED);
    String present = BASE;
    boolean isThere = false;
    boolean isReadable = false;
    for (int i = 0; i < 400; i++) {
      switch (random.nextInt(5)) {
        case 0 -> {
          ResultCode code =
              ruled.asRoot(
                  isThere
                      ? delete(present)
                      : add(
                          present,
                          "objectClass",
                          "organizationalUnit",
                          "ou",
                          present.substring(3, present.indexOf(','))));
          assertThat(code).isEqualTo(ResultCode.SUCCESS);
          isThere = !isThere;
          isReadable = false;
        }
        case 1 -> {
          if (isThere) {
            assertThat(
                    ruled.asRoot(
                        modify(
                            present,
                            change(isReadable ? DELETE : ADD, "objectClass", "labeledURIObject"))))
                .isEqualTo(ResultCode.SUCCESS);
            isReadable = !isReadable;
          }
        }
        case 2 -> {
          if (isThere) {
            String next = present.equals(BASE) ? OTHER : BASE;
            assertThat(ruled.asRoot(rename(present, next.substring(0, next.indexOf(',')), true)))
                .isEqualTo(ResultCode.SUCCESS);
            present = next;
          }
        }
        default -> {
          String absent = present.equals(BASE) ? OTHER : BASE;
          ResultCode expected =
              !isThere
                  ? ResultCode.NO_SUCH_OBJECT
                  : isReadable ? ResultCode.SUCCESS : ResultCode.INSUFFICIENT_ACCESS_RIGHTS;
          assertThat(search(present)).as("step %d, seed %s", i, SEED).isEqualTo(expected);
          assertThat(search(present)).isEqualTo(expected);
          assertThat(search(absent)).isEqualTo(ResultCode.NO_SUCH_OBJECT);
        }
      }
    }
  }
}
