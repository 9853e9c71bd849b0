# Images on your own machine, of one artifact:
#   ./bench ci pack pack vertx-pg/jvm/pg && mv pack/*.tar pack/app.tar
#   docker buildx bake -f apps/containers/docker-bake.hcl jvm
# Each variable is taken from the environment, such as TAG=vertx-pg:mine; one that stays empty says nothing of the image.
variable "PACK" {
  default = "pack"
}

variable "TAG" {
  default = "plumbline:latest"
}

# What an image of a JVM stands on in the place of Temurin's, and where it is unpacked if that has no shell.
variable "BASE" {
  default = ""
}

variable "UNPACK" {
  default = ""
}

# What the labels say: the artifact's name and digest, as `./bench ci pack` gives them, and the commit of its sources.
variable "ARTIFACT" {
  default = ""
}

variable "SHA256" {
  default = ""
}

variable "REVISION" {
  default = ""
}

function "given" {
  params = [value]
  result = value == "" ? null : value
}

target "labelled" {
  context = PACK
  tags    = [TAG]
  labels = {
    "plumbline.artifact"                = given(ARTIFACT)
    "plumbline.artifact.sha256"         = given(SHA256)
    "org.opencontainers.image.revision" = given(REVISION)
  }
}

target "jvm" {
  inherits   = ["labelled"]
  dockerfile = "../apps/containers/jvm.Containerfile"
  args = {
    BASE   = given(BASE)
    UNPACK = given(UNPACK)
  }
}

target "native" {
  inherits   = ["labelled"]
  dockerfile = "../apps/containers/native.Containerfile"
}
